import { ALARM_LEVELS, type AlarmLevel } from '@isotherm/domain/alarms/alarm-level';
import { RECIPIENT_TYPES, type RecipientType } from '@isotherm/domain/alarms/graded-policy';
import Select from 'antd/es/select';
import { formatSetting } from '../../../shared/format/duration.ts';
import { levelLabel } from '../../../shared/format/labels.ts';
import { useText } from '../../../shared/i18n/use-text.ts';
import { Button } from '../../../shared/ui/button.tsx';
import { isTab, KeyFrame } from '../../../shared/ui/form/key-frame.tsx';
import { NumberCell } from '../../../shared/ui/form/number-cell.tsx';
import { Icon } from '../../../shared/ui/icon.tsx';
import { LevelGlyph } from '../../../shared/ui/level-glyph.tsx';
import { LimitCells } from './conditions-field.tsx';
import { EscalationField } from './escalation-field.tsx';
import { InstructionField } from './instruction-field.tsx';
import {
  type ConditionDraft,
  type LimitsDraft,
  NOBODY,
  ownLimitsOf,
  type StepDraft,
} from './policy-draft.ts';
import { quantityWords } from './policy-words.ts';
import { RecipientsField } from './recipients-field.tsx';

const MINUTE_MS = 60_000;
/** Default difference between the delays of two levels. */
const NEXT_MS = 15 * MINUTE_MS;

/** Edits the levels: a diagram, and one row per level with its delay, optional own limits and recipients. */
export function StepsField({
  steps,
  recipientType,
  conditions,
  wrongRow,
  onChange,
  onTypeChange,
}: {
  steps: readonly StepDraft[];
  recipientType: RecipientType;
  conditions: readonly ConditionDraft[];
  wrongRow: number | null;
  onChange: (steps: StepDraft[]) => void;
  onTypeChange: (type: RecipientType) => void;
}) {
  const { text } = useText();
  const change = (level: AlarmLevel, changes: Partial<StepDraft>) =>
    onChange(steps.map((each) => (each.level === level ? { ...each, ...changes } : each)));
  const free = ALARM_LEVELS.filter((level) => !steps.some((each) => each.level === level));
  const offered = ownLimitsOf(conditions);

  function add(): void {
    const above = Math.max(0, ...steps.map((each) => each.level));
    const level = free.find((each) => each > above) ?? free[0];
    if (!level) return;
    const last = steps.at(-1)?.triggerAfterMs;
    const step: StepDraft = {
      level,
      triggerAfterMs: (typeof last === 'number' ? last : 0) + NEXT_MS,
      limits: [],
      ...NOBODY,
    };
    onChange([...steps, step].sort((a, b) => a.level - b.level));
  }

  return (
    <>
      <Ladder steps={steps} />
      {steps.map((step, at) => (
        <fieldset key={step.level} className="graded-step" aria-label={levelLabel(step.level, text)}>
          <span className="graded-step-level">
            <LevelGlyph level={step.level} /> {levelLabel(step.level, text)}
          </span>
          <div className="graded-cell">
            <span className="field-label" aria-hidden="true">
              {text('policies.step.delay')}
            </span>
            <NumberCell
              value={
                typeof step.triggerAfterMs === 'number'
                  ? step.triggerAfterMs / MINUTE_MS
                  : step.triggerAfterMs
              }
              label={text('policies.step.delay')}
              unit={text('policies.step.minutes')}
              isWrong={wrongRow === at}
              onChange={(minutes) =>
                change(step.level, {
                  triggerAfterMs:
                    typeof minutes === 'number' ? Math.round(minutes * MINUTE_MS) : (minutes ?? ''),
                })
              }
            />
          </div>
          <OwnLimits
            limits={step.limits}
            offered={offered}
            isWrong={wrongRow === at}
            onChange={(limits) => change(step.level, { limits })}
          />
          <Button
            variant="quiet"
            size="small"
            icon
            className="graded-remove"
            aria-label={text('policies.step.remove', { level: step.level })}
            disabled={steps.length === 1}
            onClick={() => onChange(withoutLevel(steps, step.level))}
          >
            <Icon name="bin" />
          </Button>
          <RecipientsField
            step={step}
            type={recipientType}
            onChange={(changes) => change(step.level, changes)}
          />
          <EscalationField
            step={step}
            steps={steps}
            onChange={(escalation) => change(step.level, { escalation })}
          />
          <InstructionField
            value={step.instruction}
            onChange={(instruction) => change(step.level, { instruction })}
          />
        </fieldset>
      ))}
      <Button size="small" disabled={free.length === 0} onClick={add}>
        <Icon name="plus" />
        {text('policies.step.add')}
      </Button>
      <div className="graded-cell graded-type">
        <span className="field-label" aria-hidden="true">
          {text('policies.recipient-type')}
        </span>
        <KeyFrame take={isTab}>
          <Select<RecipientType>
            className="form-select"
            aria-label={text('policies.recipient-type')}
            value={recipientType}
            options={RECIPIENT_TYPES.map((value) => ({
              value,
              label: text(`policies.recipient-type.${value}`),
            }))}
            onChange={onTypeChange}
          />
        </KeyFrame>
      </div>
    </>
  );
}

/** Removes a level, and the escalations that notify it. */
const withoutLevel = (steps: readonly StepDraft[], level: AlarmLevel): StepDraft[] =>
  steps
    .filter((each) => each.level !== level)
    .map((each) => (each.escalation?.toLevel === level ? { ...each, escalation: null } : each));

function OwnLimits({
  limits,
  offered,
  isWrong,
  onChange,
}: {
  limits: readonly LimitsDraft[];
  offered: readonly LimitsDraft[];
  isWrong: boolean;
  onChange: (limits: LimitsDraft[]) => void;
}) {
  const { text } = useText();
  if (offered.length === 0) return <span />;
  return (
    <div className="graded-own">
      <span className="secondary">
        {text(limits.length > 0 ? 'policies.step.limits.own' : 'policies.step.limits.inherited')}
      </span>{' '}
      <Button
        variant="link"
        onClick={() => onChange(limits.length > 0 ? [] : offered.map((each) => ({ ...each })))}
      >
        {text(limits.length > 0 ? 'policies.step.limits.reset' : 'policies.step.limits.set')}
      </Button>
      {limits.map((own, at) => (
        <div key={own.quantity} className="graded-own-row">
          {limits.length > 1 ? <span className="small">{quantityWords(own.quantity, text)}</span> : null}
          <LimitCells
            limits={own}
            isWrong={isWrong}
            onChange={(changed) =>
              onChange(limits.map((each, i) => (i === at ? { ...each, ...changed } : each)))
            }
          />
        </div>
      ))}
    </div>
  );
}

/** Diagram of how the alarm rises through its levels. The table below shows the same as text. */
export function Ladder({ steps }: { steps: readonly StepDraft[] }) {
  const { text } = useText();
  return (
    <div className="graded-ladder" aria-hidden="true">
      {steps.map(({ level, triggerAfterMs, escalation }) => (
        <div key={level} className={`graded-ladder-step graded-ladder-${level}`}>
          <LevelGlyph level={level} size={20} />
          <span className="small number">
            {typeof triggerAfterMs === 'number' ? formatSetting(triggerAfterMs, text) : ''}
          </span>
          {escalation && typeof escalation.afterMs === 'number' ? (
            <span className="small number">
              {text('policies.step.escalation.mark', {
                time: formatSetting(escalation.afterMs, text),
                level: escalation.toLevel,
              })}
            </span>
          ) : null}
        </div>
      ))}
    </div>
  );
}
