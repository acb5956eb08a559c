import { create } from 'zustand';

export const THEME_WISHES = ['light', 'dark', 'system'] as const;
export type ThemeWish = (typeof THEME_WISHES)[number];
export type Theme = 'light' | 'dark';

/** Read by index.html too, before the first paint. */
const KEY = 'isotherm.theme';

const systemDark = () => matchMedia('(prefers-color-scheme: dark)');

function storedWish(): ThemeWish {
  return THEME_WISHES.find((wish) => wish === localStorage.getItem(KEY)) ?? 'system';
}

function resolve(wish: ThemeWish): Theme {
  return wish === 'system' ? (systemDark().matches ? 'dark' : 'light') : wish;
}

export const useTheme = create<{ wish: ThemeWish; theme: Theme }>(() => {
  const wish = storedWish();
  return { wish, theme: resolve(wish) };
});

function show(wish: ThemeWish): void {
  const theme = resolve(wish);
  document.documentElement.dataset.theme = theme;
  useTheme.setState({ wish, theme });
}

export function chooseTheme(wish: ThemeWish): void {
  localStorage.setItem(KEY, wish);
  show(wish);
}

export function followSystemTheme(): () => void {
  const query = systemDark();
  const changed = () => {
    if (useTheme.getState().wish === 'system') show('system');
  };
  query.addEventListener('change', changed);
  return () => query.removeEventListener('change', changed);
}
