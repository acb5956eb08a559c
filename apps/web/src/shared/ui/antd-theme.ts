import { theme as antd, type ThemeConfig } from 'antd';
import type { Theme } from './theme.ts';
import { ANTD_TOKENS } from './tokens.gen.ts';

/** The design tokens as an antd theme. */
export function antdTheme(theme: Theme): ThemeConfig {
  const { token, components } = ANTD_TOKENS[theme];
  return {
    // Not the compact algorithm: the design's sizes are compact already, and it would reduce them again.
    algorithm: theme === 'dark' ? antd.darkAlgorithm : antd.defaultAlgorithm,
    // One key per theme: with the same one, styles of hidden pages that are still drawn in the other theme could win.
    cssVar: { key: `isotherm-${theme}` },
    token,
    components,
  };
}
