import Select from 'antd/es/select';
import { levelLabel } from '../../../shared/format/labels.ts';
import { useText } from '../../../shared/i18n/use-text.ts';
import { isTab, KeyFrame } from '../../../shared/ui/form/key-frame.tsx';
import { NumberCell } from '../../../shared/ui/form/number-cell.tsx';
import type { EscalationDraft, StepDraft } from './policy-draft.ts';

const MINUTE_MS = 60_000;
/** Default time for people to acknowledge. */
const DEFAULT_AFTER_MS = 15 * MINUTE_MS;

/** Levels whose recipients a step may notify: higher ones that notify somebody, and the one chosen already. */
function targetsOf({ level, escalation }: StepDraft, steps: readonly StepDraft[]): StepDraft['level'][] {
  const higher = steps.filter((each) => each.level > level && each.channels.length > 0);
  const levels = new Set(higher.map((each) => each.level));
  if (escalation) levels.add(escalation.toLevel);
  return [...levels].sort((a, b) => a - b);
}

/** Edits which higher level is also notified if nobody acknowledges, and after what time. */
export function EscalationField({
  step,
  steps,
  onChange,
}: {
  step: StepDraft;
  steps: readonly StepDraft[];
  onChange: (escalation: EscalationDraft | null) => void;
}) {
  const { text } = useText();
  const { escalation } = step;
  const targets = targetsOf(step, steps);
  if (targets.length === 0) return null;
  return (
    <div className="graded-told">
      <div className="graded-cell">
        <span className="field-label" aria-hidden="true">
          {text('policies.step.escalation')}
        </span>
        <KeyFrame take={isTab}>
          <Select<number>
            className="form-select"
            aria-label={text('policies.step.escalation')}
            value={escalation?.toLevel ?? 0}
            options={[
              { value: 0, label: text('policies.step.escalation.none') },
              ...targets.map((level) => ({
                value: level as number,
                label: text('policies.step.escalation.to', { level: levelLabel(level, text) }),
              })),
            ]}
            onChange={(chosen) => {
              const toLevel = targets.find((level) => level === chosen);
              onChange(toLevel ? { afterMs: escalation?.afterMs ?? DEFAULT_AFTER_MS, toLevel } : null);
            }}
          />
        </KeyFrame>
      </div>
      {escalation ? (
        <div className="graded-cell">
          <span className="field-label" aria-hidden="true">
            {text('policies.step.escalation.after')}
          </span>
          <NumberCell
            value={
              typeof escalation.afterMs === 'number' ? escalation.afterMs / MINUTE_MS : escalation.afterMs
            }
            label={text('policies.step.escalation.after')}
            unit={text('policies.step.minutes')}
            onChange={(minutes) =>
              onChange({
                ...escalation,
                afterMs: typeof minutes === 'number' ? Math.round(minutes * MINUTE_MS) : (minutes ?? ''),
              })
            }
          />
        </div>
      ) : null}
    </div>
  );
}

/** Describes the escalation of a step. */
export function EscalationWords({ escalation }: Pick<StepDraft, 'escalation'>) {
  const { text } = useText();
  if (!escalation || typeof escalation.afterMs !== 'number') return null;
  return (
    <div className="secondary">
      {text('policies.step.escalation.words', {
        minutes: escalation.afterMs / MINUTE_MS,
        level: escalation.toLevel,
      })}
    </div>
  );
}
