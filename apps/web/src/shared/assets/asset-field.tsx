import './assets.css';
import type { AssetRecord } from '@isotherm/contracts/asset-registry';
import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { useText } from '../i18n/use-text.ts';
import { Button } from '../ui/button.tsx';
import { FieldFrame, type FieldProps } from '../ui/form/field-frame.tsx';
import { useField } from '../ui/form/form-context.ts';
import { Icon } from '../ui/icon.tsx';
import { AssetDialog } from './asset-dialog.tsx';
import { namedAssetQuery } from './assets.queries.ts';

type Named = Pick<AssetRecord, 'id' | 'kind' | 'name' | 'code' | 'organizationId'>;

/** Field that selects one asset from a tree. Typing in the field starts the search. */
export function AssetField({
  chosenName,
  within,
  clearable = false,
  ...props
}: FieldProps & {
  /** Name of the selected asset, shown until the asset is loaded. */
  chosenName?: string | null | undefined;
  /** If set, only assets that belong directly to this organisation are offered. */
  within?: number;
  clearable?: boolean;
}) {
  const { text } = useText();
  const { value, set, fault, required } = useField<number>(props.name);
  const [picked, setPicked] = useState<Named | null>(null);
  /** Text that was typed when the dialog was opened; null while it is closed. */
  const [typed, setTyped] = useState<string | null>(null);
  const dialogId = useId();
  const { data } = useQuery({
    ...namedAssetQuery(value ?? 0),
    enabled: value !== undefined && picked?.id !== value,
  });
  const asset = value === undefined ? undefined : picked?.id === value ? picked : data;
  const disabled = props.disabled ?? false;

  return (
    <FieldFrame {...props} required={required} fault={fault}>
      {(control) => (
        <div className={fault ? 'field field-wrong picker-field' : 'field picker-field'}>
          <button
            {...control}
            type="button"
            role="combobox"
            aria-haspopup="dialog"
            aria-expanded={typed !== null}
            aria-controls={typed === null ? undefined : dialogId}
            className="picker-value"
            disabled={disabled}
            onClick={() => setTyped('')}
            onKeyDown={(event) => {
              const opens = event.key === 'ArrowDown';
              const begins =
                event.key.length === 1 &&
                event.key !== ' ' &&
                !event.ctrlKey &&
                !event.metaKey &&
                !event.altKey;
              if (!opens && !begins) return;
              event.preventDefault();
              // Characters that are typed before the dialog has the focus are kept.
              setTyped((old) => (begins ? `${old ?? ''}${event.key}` : ''));
            }}
          >
            {asset ? <Icon name={asset.kind} /> : null}
            {asset || (value !== undefined && chosenName) ? (
              <span className="ellipsis">{asset?.name ?? chosenName}</span>
            ) : (
              <span className="tertiary">{text('assets.picker.one')}</span>
            )}
            {asset ? <span className="small tertiary ellipsis">{asset.code}</span> : null}
          </button>
          {clearable && value !== undefined && !disabled ? (
            <Button
              variant="quiet"
              size="small"
              icon
              aria-label={text('common.action.clear')}
              onClick={() => {
                set(undefined);
                document.getElementById(control.id)?.focus();
              }}
            >
              <Icon name="close" small />
            </Button>
          ) : null}
          <Icon name="down" small />
          {typed !== null ? (
            <AssetDialog
              id={dialogId}
              within={within}
              home={asset?.organizationId}
              typed={typed}
              chosen={value}
              onTake={(taken) => {
                setPicked(taken);
                set(taken.id);
                setTyped(null);
              }}
              onClose={() => setTyped(null)}
            />
          ) : null}
        </div>
      )}
    </FieldFrame>
  );
}
