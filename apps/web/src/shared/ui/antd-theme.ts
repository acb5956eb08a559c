import { theme as antd, type ThemeConfig } from 'antd';
import tokens from './antd-tokens.json' with { type: 'json' };
import type { Theme } from './theme.ts';

/** The design's values as antd takes them. */
export function antdTheme(theme: Theme): ThemeConfig {
  const { token, components } = tokens[theme];
  return {
    // Not the compact algorithm: the design's own sizes are compact already, and it would shrink them again.
    algorithm: theme === 'dark' ? antd.darkAlgorithm : antd.defaultAlgorithm,
    cssVar: { key: 'isotherm' },
    token,
    components,
  };
}
