import { theme as antd, type ThemeConfig } from 'antd';
import type { Theme } from './theme.ts';
import { ANTD_TOKENS } from './tokens.gen.ts';

/**
 * True if the user prefers reduced motion. It is read once: antd mounts the whole console again when its
 * `motion` token changes, and typed input would be lost.
 */
const isMotionReduced = matchMedia('(prefers-reduced-motion: reduce)').matches;

/** Converts the design tokens to an antd theme. */
export function antdTheme(theme: Theme): ThemeConfig {
  const { token, components } = ANTD_TOKENS[theme];
  return {
    // The compact algorithm is not used, because the sizes of the design are compact already and it would
    // reduce them again.
    algorithm: theme === 'dark' ? antd.darkAlgorithm : antd.defaultAlgorithm,
    // Each theme has its own key. With a shared key, styles of hidden pages that are still drawn in the
    // other theme could take precedence.
    cssVar: { key: `isotherm-${theme}` },
    // Without this, antd hides a menu or a dialog only when its closing animation has reported its end. An
    // animation that is shortened to nothing does not always report it, and the menu would stay open.
    token: isMotionReduced ? { ...token, motion: false } : token,
    components,
  };
}
