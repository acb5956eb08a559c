import { theme as antd, type ThemeConfig } from 'antd';
import type { Theme } from './theme.ts';
import { ANTD_TOKENS } from './tokens.gen.ts';

/** The design's values as antd takes them. */
export function antdTheme(theme: Theme): ThemeConfig {
  const { token, components } = ANTD_TOKENS[theme];
  return {
    // Not the compact algorithm: the design's own sizes are compact already, and it would shrink them again.
    algorithm: theme === 'dark' ? antd.darkAlgorithm : antd.defaultAlgorithm,
    cssVar: { key: 'isotherm' },
    token,
    components,
  };
}
