import { mayDelayInDefrost, mayTakeProductLimits, SWITCH_LIMIT } from '@isotherm/domain/alarms/graded-policy';
import { POLICY_QUANTITIES, type PolicyQuantity } from '@isotherm/domain/alarms/policy';
import type { SignalType } from '@isotherm/domain/alarms/signal';
import type { Indicator } from '@isotherm/domain/readings/indicator';
import { switchLabel } from '@isotherm/i18n/alarm-words';
import type { TextId } from '@isotherm/i18n/text-id';
import Select from 'antd/es/select';
import { unitOf } from '../../../shared/format/number.ts';
import { type Text, useText } from '../../../shared/i18n/use-text.ts';
import { Button } from '../../../shared/ui/button.tsx';
import { isTab, KeyFrame } from '../../../shared/ui/form/key-frame.tsx';
import { NumberCell } from '../../../shared/ui/form/number-cell.tsx';
import { Icon } from '../../../shared/ui/icon.tsx';
import { DefrostCell } from './defrost-cell.tsx';
import { FenceCell } from './fence-cell.tsx';
import { LegCell } from './leg-cell.tsx';
import {
  type ConditionDraft,
  conditionOf,
  hasOwnLimits,
  isSwitch,
  type LimitsDraft,
  type SignalDraft,
} from './policy-draft.ts';
import { quantityWords } from './policy-words.ts';
import { ScheduleCells } from './schedule-cells.tsx';
import { SignalCells } from './signal-cells.tsx';

/** Edits the conditions that raise an alarm: one row per condition, with its quantity and limits. */
export function ConditionsField({
  conditions,
  organizationId,
  wrongRow,
  onChange,
}: {
  conditions: readonly ConditionDraft[];
  /** The organisation of the policy; undefined until it is known. */
  organizationId: number | undefined;
  wrongRow: number | null;
  onChange: (conditions: ConditionDraft[]) => void;
}) {
  const { text } = useText();
  const change = (at: number, changes: Partial<ConditionDraft>) =>
    onChange(conditions.map((each, i) => (i === at ? { ...each, ...changes } : each)));
  const isFree = (quantity: PolicyQuantity) =>
    !conditions.some(
      (each) =>
        each.quantity === quantity && each.signal === null && each.leg === null && each.fence === null,
    );
  const free = POLICY_QUANTITIES.filter(isFree);
  return (
    <>
      {conditions.map((condition, at) => (
        <fieldset
          key={keyOf(conditions, at)}
          className="graded-condition"
          aria-label={text('policies.condition', { index: at + 1 })}
        >
          <div className="graded-cell">
            <span className="field-label" aria-hidden="true">
              {text('policies.quantity')}
            </span>
            <KeyFrame take={isTab}>
              <Select<PolicyQuantity>
                className="form-select"
                aria-label={text('policies.quantity')}
                value={condition.quantity}
                options={POLICY_QUANTITIES.filter(
                  (quantity) => quantity === condition.quantity || isFree(quantity),
                ).map((value) => ({
                  value,
                  label: quantityWords(value, text),
                }))}
                onChange={(quantity) =>
                  change(at, { ...conditionOf(quantity), schedule: condition.schedule })
                }
              />
            </KeyFrame>
          </div>
          <LimitCells
            limits={condition}
            signal={condition.signal}
            isWrong={wrongRow === at}
            onChange={(limits) => change(at, limits)}
          />
          {condition.quantity === 'contact' ||
          isSwitch(condition.quantity) ||
          !hasOwnLimits(condition.signal) ? null : (
            <div className="graded-cell">
              <span className="field-label" aria-hidden="true" title={text('policies.margin.help')}>
                {text('policies.margin')}
              </span>
              <NumberCell
                value={condition.recoveryMargin}
                label={text('policies.margin')}
                unit={unitOf(condition.quantity)}
                onChange={(recoveryMargin) => change(at, { recoveryMargin: recoveryMargin ?? 0 })}
              />
            </div>
          )}
          <Button
            variant="quiet"
            size="small"
            icon
            className="graded-remove"
            aria-label={text('policies.condition.remove', { index: at + 1 })}
            disabled={conditions.length === 1}
            onClick={() => onChange(conditions.filter((_, i) => i !== at))}
          >
            <Icon name="bin" />
          </Button>
          <div className="graded-more">
            <SignalCells
              condition={condition}
              isWrong={wrongRow === at}
              onChange={(changes) => change(at, changes)}
            />
            <ScheduleCells
              schedule={condition.schedule}
              isWrong={wrongRow === at}
              onChange={(schedule) => change(at, { schedule })}
            />
            <LegCell
              leg={condition.leg}
              hasProductLimits={mayTakeProductLimits(condition)}
              isWrong={wrongRow === at}
              onChange={(leg) => change(at, { leg })}
            />
            <FenceCell
              fence={condition.fence}
              organizationId={organizationId}
              isWrong={wrongRow === at}
              onChange={(fence) => change(at, { fence })}
            />
            {mayDelayInDefrost(condition) ? (
              <DefrostCell
                delayMs={condition.defrostDelayMs}
                isWrong={wrongRow === at}
                onChange={(defrostDelayMs) => change(at, { defrostDelayMs })}
              />
            ) : null}
          </div>
        </fieldset>
      ))}
      <Button
        size="small"
        disabled={free.length === 0}
        onClick={() => {
          const [next] = free;
          if (next) onChange([...conditions, conditionOf(next)]);
        }}
      >
        <Icon name="plus" />
        {text('policies.condition.add')}
      </Button>
    </>
  );
}

/** Identifies a condition while it is edited: by its quantity, and its place among those of the same quantity. */
function keyOf(conditions: readonly ConditionDraft[], at: number): string {
  const quantity = conditions[at]?.quantity;
  return `${quantity} ${conditions.slice(0, at).filter((each) => each.quantity === quantity).length}`;
}

/**
 * Cells for the lower and upper limit, or for the state of a switch that raises the alarm. A signal (a value
 * derived from the readings) only has cells for the limits that it uses.
 */
export function LimitCells({
  limits: { quantity, low, high },
  signal = null,
  isWrong,
  onChange,
}: {
  limits: LimitsDraft;
  signal?: SignalDraft | null;
  isWrong: boolean;
  onChange: (limits: Pick<LimitsDraft, 'low' | 'high'>) => void;
}) {
  const { text } = useText();
  if (quantity === 'contact') return null;
  if (isSwitch(quantity) && hasOwnLimits(signal))
    return (
      <div className="graded-cell">
        <span className="field-label" aria-hidden="true">
          {text('policies.when')}
        </span>
        <KeyFrame take={isTab}>
          <Select<0 | 1>
            className="form-select"
            aria-label={text('policies.when')}
            value={high === null ? 0 : 1}
            options={([0, 1] as const).map((value) => ({ value, label: text(switchLabel(quantity, value)) }))}
            onChange={(value) =>
              onChange({ low: value === 0 ? SWITCH_LIMIT : null, high: value === 1 ? SWITCH_LIMIT : null })
            }
          />
        </KeyFrame>
      </div>
    );
  const side = (label: string, value: LimitsDraft['low'], key: 'low' | 'high') => (
    <div className="graded-cell">
      <span className="field-label" aria-hidden="true">
        {label}
      </span>
      <NumberCell
        value={value}
        label={label}
        unit={unitOfSignal(quantity, signal, text)}
        isWrong={isWrong}
        onChange={(changed) => onChange({ low, high, [key]: changed })}
      />
    </div>
  );
  return (
    <>
      {hasOwnLimits(signal) || signal?.type === 'rate'
        ? side(text(signal?.type === 'rate' ? 'policies.signal.fall' : 'policies.low'), low, 'low')
        : null}
      {side(text(HIGH_LABEL[signal?.type ?? 'forecast'] ?? 'policies.high'), high, 'high')}
    </>
  );
}

const HIGH_LABEL: Partial<Record<SignalType, TextId>> = {
  rate: 'policies.signal.rise',
  'outside-time': 'policies.signal.longer',
  'outside-count': 'policies.signal.oftener',
  difference: 'policies.signal.farther',
};

function unitOfSignal(quantity: Indicator, signal: SignalDraft | null, text: Text): string {
  if (signal?.type === 'rate') return `${unitOf(quantity)}/h`;
  if (signal?.type === 'outside-time') return text('policies.step.minutes');
  return signal?.type === 'outside-count' ? text('policies.signal.times') : unitOf(quantity);
}
