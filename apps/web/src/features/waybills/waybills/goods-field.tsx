import './waybills.css';
import { MAX_GOODS } from '@isotherm/contracts/waybills';
import { useText } from '../../../shared/i18n/use-text.ts';
import { Button } from '../../../shared/ui/button.tsx';
import { useField } from '../../../shared/ui/form/form-context.ts';
import { NumberCell } from '../../../shared/ui/form/number-cell.tsx';
import { Icon } from '../../../shared/ui/icon.tsx';

interface GoodsDraft {
  product: string;
  batch: string;
  quantity: number | string | null;
  unit: string;
}

/** Field for the goods of a waybill, one row each. */
export function GoodsField() {
  const { text } = useText();
  const { value: rows = [], set, fault } = useField<GoodsDraft[]>('goods');
  const change = (at: number, changes: Partial<GoodsDraft>) =>
    set(rows.map((row, i) => (i === at ? { ...row, ...changes } : row)));
  const textCell = (row: GoodsDraft, at: number, cell: 'product' | 'batch' | 'unit', label: string) => (
    <div>
      <span className="small tertiary" aria-hidden="true">
        {label}
      </span>
      <div className={fault && cell === 'product' && row.product === '' ? 'field field-wrong' : 'field'}>
        <input
          type="text"
          aria-label={label}
          autoComplete="off"
          value={row[cell]}
          onChange={({ target }) => change(at, { [cell]: target.value })}
        />
      </div>
    </div>
  );
  return (
    <div className="form-wide">
      {rows.map((row, at) => (
        <fieldset
          // biome-ignore lint/suspicious/noArrayIndexKey: goods have no identity; a row is its position.
          key={at}
          className="waybill-goods"
          aria-label={text('waybills.goods.row', { row: at + 1 })}
        >
          {textCell(row, at, 'product', text('waybills.product'))}
          {textCell(row, at, 'batch', text('waybills.batch'))}
          <div>
            <span className="small tertiary" aria-hidden="true">
              {text('waybills.quantity')}
            </span>
            <NumberCell
              value={row.quantity}
              label={text('waybills.quantity')}
              isWrong={fault !== undefined && typeof row.quantity !== 'number'}
              onChange={(quantity) => change(at, { quantity })}
            />
          </div>
          {textCell(row, at, 'unit', text('waybills.unit'))}
          <Button
            variant="quiet"
            size="small"
            icon
            aria-label={text('waybills.goods.remove', { row: at + 1 })}
            onClick={() => set(rows.filter((_, i) => i !== at))}
          >
            <Icon name="bin" />
          </Button>
        </fieldset>
      ))}
      {fault ? (
        <div className="field-fault">
          <Icon name="info" small />
          {fault}
        </div>
      ) : null}
      <Button
        size="small"
        disabled={rows.length >= MAX_GOODS}
        onClick={() => set([...rows, { product: '', batch: '', quantity: null, unit: '' }])}
      >
        <Icon name="plus" />
        {text('waybills.goods.add')}
      </Button>
    </div>
  );
}
