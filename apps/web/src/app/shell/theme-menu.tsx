import type { TextId } from '@isotherm/i18n/text-id';
import Dropdown from 'antd/es/dropdown';
import { useText } from '../../shared/i18n/use-text.ts';
import { Button } from '../../shared/ui/button.tsx';
import { Icon, type IconName } from '../../shared/ui/icon.tsx';
import { chooseTheme, THEME_WISHES, type ThemeWish, useThemeWish } from '../../shared/ui/theme.ts';

export const THEME_LABEL: Record<ThemeWish, TextId> = {
  light: 'common.theme.light',
  dark: 'common.theme.dark',
  system: 'common.theme.system',
};
const THEME_ICON: Record<ThemeWish, IconName> = { light: 'sun', dark: 'moon', system: 'screen' };

export function ThemeMenu() {
  const { text } = useText();
  const wish = useThemeWish();
  return (
    <Dropdown
      trigger={['click']}
      menu={{
        selectable: true,
        selectedKeys: [wish],
        items: THEME_WISHES.map((key) => ({
          key,
          label: text(THEME_LABEL[key]),
          icon: <Icon name={THEME_ICON[key]} />,
        })),
        onClick: ({ key }) => chooseTheme(key as ThemeWish),
      }}
    >
      <Button variant="quiet" icon aria-label={text('common.theme')} title={text('common.theme')}>
        <Icon name={THEME_ICON[wish]} />
      </Button>
    </Dropdown>
  );
}
