import { theme as antd, type ThemeConfig } from 'antd';
import type { Theme } from './theme.ts';
import { ANTD_TOKENS } from './tokens.gen.ts';

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
    token,
    components,
  };
}
