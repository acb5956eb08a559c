import { useSyncExternalStore } from 'react';

export const THEME_WISHES = ['light', 'dark', 'system'] as const;
export type ThemeWish = (typeof THEME_WISHES)[number];
export type Theme = 'light' | 'dark';

/** Storage key; index.html also reads it before the first paint. */
const KEY = 'isotherm.theme';

const systemDark = () => matchMedia('(prefers-color-scheme: dark)');

function storedWish(): ThemeWish {
  return THEME_WISHES.find((wish) => wish === localStorage.getItem(KEY)) ?? 'system';
}

function resolve(wish: ThemeWish): Theme {
  return wish === 'system' ? (systemDark().matches ? 'dark' : 'light') : wish;
}

/** Kept in a plain variable, because the pages before login load no state library. */
let wish = storedWish();
let theme = resolve(wish);
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function show(next: ThemeWish): void {
  wish = next;
  theme = resolve(next);
  document.documentElement.dataset.theme = theme;
  for (const listener of listeners) listener();
}

export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, () => theme);
}

export function useThemeWish(): ThemeWish {
  return useSyncExternalStore(subscribe, () => wish);
}

export function chooseTheme(next: ThemeWish): void {
  localStorage.setItem(KEY, next);
  show(next);
}

/** Makes a page follow the dark mode of the system, also before login. */
export function followSystemTheme(): void {
  systemDark().addEventListener('change', () => {
    if (wish === 'system') show('system');
  });
}
