import { LANGUAGE_NAMES, LANGUAGES, type Language } from '@isotherm/i18n/languages';
import Switch from 'antd/es/switch';
import { useText } from '../../../shared/i18n/use-text.ts';
import { Button } from '../../../shared/ui/button.tsx';
import { useField } from '../../../shared/ui/form/form-context.ts';
import { Icon } from '../../../shared/ui/icon.tsx';
import { TableFrame } from '../../../shared/ui/table-frame.tsx';
import type { TitlesValue } from '../titles-field.tsx';

export interface Item {
  value: string;
  titles: TitlesValue;
  enabled?: boolean | undefined;
}

/** Field for the choices of a dictionary in order. Each has a value and a name in four languages. */
export function ItemsField({
  name,
  disabled,
  system,
}: {
  name: string;
  disabled: boolean;
  /** Built-in values. They can be disabled and renamed, but not deleted. */
  system: ReadonlySet<string>;
}) {
  const { text, language: own } = useText();
  // The user's own language comes first.
  const languages = LANGUAGES.toSorted((a, b) => Number(b === own) - Number(a === own));
  const { value, set, fault } = useField<Item[]>(name);
  const items = value ?? [];
  const change = (at: number, changes: Partial<Item>) =>
    set(items.map((item, index) => (index === at ? { ...item, ...changes } : item)));
  const entitle = (at: number, titles: TitlesValue, language: Language, title: string) => {
    const { [language]: _, ...others } = titles;
    change(at, { titles: title === '' ? others : { ...others, [language]: title } });
  };
  const swap = (at: number, with_: number) => {
    const next = [...items];
    const [one, other] = [next[at], next[with_]];
    if (!one || !other) return;
    next[at] = other;
    next[with_] = one;
    set(next);
  };
  return (
    <div className="form-wide items-field">
      <span className="field-label">{text('settings.dictionary.items')}</span>
      <TableFrame label={text('settings.dictionary.items')}>
        <thead>
          <tr>
            <th scope="col">{text('settings.dictionary.value')}</th>
            {languages.map((language) => (
              <th key={language} scope="col">
                {LANGUAGE_NAMES[language]}
              </th>
            ))}
            <th scope="col">{text('settings.dictionary.enabled')}</th>
            <th scope="col">
              <span className="visually-hidden">{text('settings.actions')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {items.map((item, at) => {
            const named = item.value || String(at + 1);
            return (
              // biome-ignore lint/suspicious/noArrayIndexKey: a value is being typed; its place is what stays.
              <tr key={at}>
                <td>
                  {system.has(item.value) ? (
                    <code className="cell-value">{item.value}</code>
                  ) : (
                    <input
                      className="cell-input"
                      aria-label={`${text('settings.dictionary.value')} ${at + 1}`}
                      value={item.value}
                      maxLength={64}
                      disabled={disabled}
                      onChange={(event) => change(at, { value: event.target.value })}
                    />
                  )}
                </td>
                {languages.map((language) => (
                  <td key={language}>
                    <textarea
                      className="cell-input cell-text"
                      rows={1}
                      lang={language}
                      aria-label={`${named}, ${LANGUAGE_NAMES[language]}`}
                      value={item.titles[language] ?? ''}
                      // The placeholder is what users of this language see while the name is empty.
                      placeholder={item.titles.en ?? item.value}
                      maxLength={60}
                      disabled={disabled}
                      onChange={(event) =>
                        entitle(at, item.titles, language, event.target.value.replaceAll(/\s*\n\s*/g, ' '))
                      }
                    />
                  </td>
                ))}
                <td>
                  <Switch
                    size="small"
                    checked={item.enabled ?? true}
                    disabled={disabled}
                    aria-label={`${named}, ${text('settings.dictionary.enabled')}`}
                    onChange={(enabled) => change(at, { enabled })}
                  />
                </td>
                <td className="plain-table-end">
                  <span className="row cell-tools">
                    <Button
                      variant="quiet"
                      size="small"
                      icon
                      aria-label={text('settings.move-up', { name: named })}
                      disabled={disabled || at === 0}
                      onClick={() => swap(at, at - 1)}
                    >
                      <Icon name="arrow-up" />
                    </Button>
                    <Button
                      variant="quiet"
                      size="small"
                      icon
                      aria-label={text('settings.move-down', { name: named })}
                      disabled={disabled || at === items.length - 1}
                      onClick={() => swap(at, at + 1)}
                    >
                      <Icon name="arrow-down" />
                    </Button>
                    <Button
                      variant="quiet"
                      size="small"
                      icon
                      aria-label={text('settings.remove-named', { name: named })}
                      disabled={disabled || system.has(item.value)}
                      onClick={() => set(items.filter((_, index) => index !== at))}
                    >
                      <Icon name="bin" />
                    </Button>
                  </span>
                </td>
              </tr>
            );
          })}
        </tbody>
      </TableFrame>
      {fault ? (
        <div className="field-fault">
          <Icon name="info" small />
          {fault}
        </div>
      ) : null}
      {disabled ? null : (
        <Button
          size="small"
          className="items-add"
          onClick={() => set([...items, { value: '', titles: {}, enabled: true }])}
        >
          <Icon name="plus" />
          {text('settings.dictionary.add-item')}
        </Button>
      )}
    </div>
  );
}
