import {
  judgeMeasure,
  MAINTENANCE_MEASURES,
  MAINTENANCE_NORMS,
  type MaintenanceMeasure,
} from '@isotherm/domain/assets/maintenance-norms';
import { useId } from 'react';
import { EN_RULE, fixed } from '../../../shared/format/number.ts';
import { useText } from '../../../shared/i18n/use-text.ts';
import { useField } from '../../../shared/ui/form/form-context.ts';
import { typedNumber } from '../../../shared/ui/form/typed-number.ts';
import { Icon } from '../../../shared/ui/icon.tsx';

/** Measured values during input: numbers as text. */
export type MeasuredDraft = Partial<Record<MaintenanceMeasure, string>>;

/** Converts the input for the API contract; empty values are left out. */
export function measuredOf(draft: MeasuredDraft) {
  return Object.fromEntries(
    MAINTENANCE_MEASURES.flatMap((measure) => {
      const typed = draft[measure]?.trim() ?? '';
      return typed === '' ? [] : [[measure, typedNumber(typed)]];
    }),
  );
}

/**
 * Fields for the values of requirements §9 with their norms. A value outside its norm is marked during
 * input.
 */
export function MeasuredField({ name }: { name: string }) {
  const { value: draft = {}, set, fault } = useField<MeasuredDraft>(name);
  return (
    <div className="form-wide">
      <div className="maintenance-measures">
        {MAINTENANCE_MEASURES.map((measure) => (
          <Measure
            key={measure}
            measure={measure}
            typed={draft[measure] ?? ''}
            onType={(typed) => set({ ...draft, [measure]: typed })}
          />
        ))}
      </div>
      {fault ? (
        <div className="field-fault">
          <Icon name="info" small />
          {fault}
        </div>
      ) : null}
    </div>
  );
}

function Measure({
  measure,
  typed,
  onType,
}: {
  measure: MaintenanceMeasure;
  typed: string;
  onType: (typed: string) => void;
}) {
  const { text } = useText();
  const [id, noteId] = [useId(), useId()];
  const { unit, min, max, precision } = MAINTENANCE_NORMS[measure];
  const number = typed.trim() === '' ? undefined : typedNumber(typed);
  const verdict = typeof number === 'number' ? judgeMeasure(measure, number) : 'inside';
  return (
    <div className="maintenance-measure">
      <label htmlFor={id}>{text(`maintenance.measure.${measure}`)}</label>
      <div className={verdict === 'inside' ? 'field' : 'field maintenance-doubtful'}>
        <input
          id={id}
          type="text"
          inputMode="decimal"
          autoComplete="off"
          aria-describedby={noteId}
          value={typed}
          onChange={(event) => onType(event.target.value)}
        />
        <span className="tertiary">{unit}</span>
      </div>
      <div id={noteId} className={`small ${verdict === 'inside' ? 'tertiary' : 'maintenance-outside'}`}>
        {text(verdict === 'inside' ? 'maintenance.norm' : `maintenance.${verdict}`, {
          norm: `${fixed(min, precision)}${EN_RULE}${fixed(max, precision)} ${unit}`,
        })}
      </div>
    </div>
  );
}
