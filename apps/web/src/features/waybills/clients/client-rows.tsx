import './clients.css';
import { MAX_CLIENT_ROWS } from '@isotherm/contracts/waybill-clients';
import { LANGUAGE_NAMES, LANGUAGES } from '@isotherm/i18n/languages';
import Select from 'antd/es/select';
import type { CSSProperties } from 'react';
import { useText } from '../../../shared/i18n/use-text.ts';
import { Button } from '../../../shared/ui/button.tsx';
import { useField } from '../../../shared/ui/form/form-context.ts';
import { Icon } from '../../../shared/ui/icon.tsx';

const CELLS = {
  sites: ['name', 'address'],
  contacts: ['name', 'phone', 'email'],
} as const;
const ROW_OF = { sites: 'site', contacts: 'contact' } as const;
type Draft = Record<string, string>;
const LANGUAGE_OPTIONS = LANGUAGES.map((value) => ({ value, label: LANGUAGE_NAMES[value] }));

/** Field for the sites or the contacts of a client, one row each. */
export function ClientRows({ name }: { name: keyof typeof CELLS }) {
  const { text, language } = useText();
  const { value: rows = [], set, fault } = useField<Draft[]>(name);
  const row = ROW_OF[name];
  const cells: readonly string[] = CELLS[name];
  const label = (cell: string) => text(`clients.${row}.${cell}` as 'clients.site.name');
  const hasLanguage = name === 'contacts';
  const empty: Draft = {
    ...Object.fromEntries(cells.map((cell) => [cell, ''])),
    ...(hasLanguage ? { language } : {}),
  };
  const change = (at: number, cell: string, value: string) =>
    set(rows.map((each, i) => (i === at ? { ...each, [cell]: value } : each)));
  return (
    <div className="form-wide">
      {rows.map((draft, at) => (
        <fieldset
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity; a row is its position.
          key={at}
          className="client-row"
          style={{ '--client-cells': cells.length + Number(hasLanguage) } as CSSProperties}
          aria-label={text(`clients.${row}`, { row: at + 1 })}
        >
          {cells.map((cell) => (
            <div key={cell}>
              <span className="small tertiary" aria-hidden="true">
                {label(cell)}
              </span>
              <div className="field">
                <input
                  type={cell === 'email' ? 'email' : cell === 'phone' ? 'tel' : 'text'}
                  aria-label={label(cell)}
                  autoComplete="off"
                  value={draft[cell] ?? ''}
                  onChange={({ target }) => change(at, cell, target.value)}
                />
              </div>
            </div>
          ))}
          {hasLanguage ? (
            <div>
              <span className="small tertiary" aria-hidden="true">
                {text('clients.contact.language')}
              </span>
              <Select
                className="form-select"
                aria-label={text('clients.contact.language')}
                value={draft.language}
                options={LANGUAGE_OPTIONS}
                onChange={(value) => change(at, 'language', value)}
              />
            </div>
          ) : null}
          <Button
            variant="quiet"
            size="small"
            icon
            aria-label={text(`clients.${row}.remove`, { row: at + 1 })}
            onClick={() => set(rows.filter((_, i) => i !== at))}
          >
            <Icon name="bin" />
          </Button>
        </fieldset>
      ))}
      {fault ? (
        <div className="field-fault">
          <Icon name="info" small />
          {text(`clients.${name}.wrong`)}
        </div>
      ) : null}
      <Button size="small" disabled={rows.length >= MAX_CLIENT_ROWS} onClick={() => set([...rows, empty])}>
        <Icon name="plus" />
        {text(`clients.${row}.add`)}
      </Button>
    </div>
  );
}
