import type { Menu, menuInput } from '@isotherm/contracts/menus';
import { LANGUAGES } from '@isotherm/i18n/languages';
import type { z } from 'zod';
import { useAllLanguages } from '../../../shared/i18n/use-all-languages.ts';
import { useText } from '../../../shared/i18n/use-text.ts';
import { SwitchField } from '../../../shared/ui/form/choice-fields.tsx';
import { TextField } from '../../../shared/ui/form/text-fields.tsx';
import { TitlesField } from '../titles-field.tsx';

export type MenuForm = z.input<typeof menuInput>;

export function menuFormOf(menu: Menu): MenuForm {
  const { id: _, system: __, position: ___, operations: ____, ...form } = menu;
  return form;
}

export const NEW_MENU: Partial<MenuForm> = {
  parentId: null,
  name: '',
  titles: {},
  path: '',
  redirect: '',
  component: '/layout',
  icon: '',
  affix: false,
  breadcrumb: true,
  hidden: false,
  noCache: false,
};

/** Fields of a menu entry; the address of a built-in page is fixed (requirements §5). */
export function MenuFields({ name, system, disabled }: { name: string; system: boolean; disabled: boolean }) {
  const { text } = useText();
  const texts = useAllLanguages();
  const fixed = disabled || system;
  return (
    <>
      <TitlesField
        name="titles"
        label={text('settings.titles')}
        help={text('settings.menu.titles-help')}
        disabled={disabled}
        placeholders={Object.fromEntries(
          LANGUAGES.flatMap((language) => {
            const title = texts?.[language][`menu.${name}`];
            return title ? [[language, title]] : [];
          }),
        )}
      />
      <TextField
        name="name"
        label={text('settings.menu.name')}
        help={text('settings.menu.name-help')}
        disabled={fixed}
      />
      <TextField
        name="path"
        label={text('settings.menu.path')}
        help={text('settings.menu.path-help')}
        disabled={fixed}
      />
      <TextField
        name="component"
        label={text('settings.menu.component')}
        help={text('settings.menu.component-help')}
        disabled={fixed}
      />
      <TextField
        name="redirect"
        label={text('settings.menu.redirect')}
        help={text('settings.menu.redirect-help')}
        disabled={fixed}
      />
      <TextField name="icon" label={text('settings.menu.icon')} disabled={disabled} />
      <div />
      <SwitchField
        name="hidden"
        label={text('settings.menu.hidden')}
        help={text('settings.menu.hidden-help')}
        disabled={disabled}
      />
      <SwitchField
        name="affix"
        label={text('settings.menu.affix')}
        help={text('settings.menu.affix-help')}
        disabled={disabled}
      />
      <SwitchField
        name="noCache"
        label={text('settings.menu.no-cache')}
        help={text('settings.menu.no-cache-help')}
        disabled={disabled}
      />
      <SwitchField
        name="breadcrumb"
        label={text('settings.menu.breadcrumb')}
        help={text('settings.menu.breadcrumb-help')}
        disabled={disabled}
      />
    </>
  );
}
