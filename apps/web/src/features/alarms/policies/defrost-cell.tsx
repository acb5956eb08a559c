import { useText } from '../../../shared/i18n/use-text.ts';
import { NumberCell } from '../../../shared/ui/form/number-cell.tsx';
import type { Typed } from './policy-draft.ts';

const MINUTE_MS = 60_000;

/** Cell for the longest time by which a detected defrost delays alarms of the upper limit. */
export function DefrostCell({
  delayMs,
  isWrong,
  onChange,
}: {
  delayMs: Typed;
  isWrong: boolean;
  onChange: (delayMs: Typed) => void;
}) {
  const { text } = useText();
  const label = text('policies.defrost');
  return (
    <div className="graded-signal">
      <div className="graded-cell">
        <span className="field-label" aria-hidden="true">
          {label}
        </span>
        <NumberCell
          value={typeof delayMs === 'number' ? delayMs / MINUTE_MS : delayMs}
          label={label}
          unit={text('policies.step.minutes')}
          isWrong={isWrong}
          onChange={(value) => onChange(typeof value === 'number' ? value * MINUTE_MS : (value ?? 0))}
        />
      </div>
      <p className="small secondary graded-signal-help">{text('policies.defrost.help')}</p>
    </div>
  );
}
