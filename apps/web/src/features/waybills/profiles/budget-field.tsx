import './profiles.css';
import { MAX_BANDS } from '@isotherm/contracts/product-profiles';
import { useText } from '../../../shared/i18n/use-text.ts';
import { Button } from '../../../shared/ui/button.tsx';
import { useField } from '../../../shared/ui/form/form-context.ts';
import { NumberCell } from '../../../shared/ui/form/number-cell.tsx';
import { Icon } from '../../../shared/ui/icon.tsx';

/** A number during input; text that is no number is kept, so that the schema rejects it. */
type Typed = number | string | null;
interface BandDraft {
  low: Typed;
  high: Typed;
  hours: Typed;
}

/** Field for the stability budget: one row for each band of temperatures. */
export function BudgetField() {
  const { text } = useText();
  const { value: bands = [], set, fault } = useField<BandDraft[]>('budget');
  const change = (at: number, changes: Partial<BandDraft>) =>
    set(bands.map((band, i) => (i === at ? { ...band, ...changes } : band)));
  return (
    <div className="form-wide">
      {bands.map((band, at) => (
        <fieldset
          // biome-ignore lint/suspicious/noArrayIndexKey: bands have no identity; a row is its position.
          key={at}
          className="profile-band"
          aria-label={text('profiles.band', { row: at + 1 })}
        >
          {(['low', 'high', 'hours'] as const).map((cell) => (
            <div key={cell}>
              <span className="small tertiary" aria-hidden="true">
                {text(`profiles.band.${cell}`)}
              </span>
              <NumberCell
                value={band[cell]}
                label={text(`profiles.band.${cell}`)}
                unit={cell === 'hours' ? text('profiles.band.unit') : '°C'}
                placeholder={cell === 'hours' ? '' : text('profiles.band.open')}
                isWrong={fault !== undefined}
                onChange={(value) => change(at, { [cell]: value })}
              />
            </div>
          ))}
          <Button
            variant="quiet"
            size="small"
            icon
            aria-label={text('profiles.band.remove', { row: at + 1 })}
            onClick={() => set(bands.filter((_, i) => i !== at))}
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
      ) : (
        <p className="form-help">{text('profiles.budget.help')}</p>
      )}
      <Button
        size="small"
        className="profile-add"
        disabled={bands.length >= MAX_BANDS}
        onClick={() => set([...bands, { low: null, high: null, hours: null }])}
      >
        <Icon name="plus" />
        {text('profiles.band.add')}
      </Button>
    </div>
  );
}
