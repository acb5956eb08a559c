import { SWITCH_LIMIT } from '@isotherm/domain/alarms/graded-policy';
import { MAX_AND } from '@isotherm/domain/alarms/policy-signal';
import { INDICATOR_NAMES, type Indicator } from '@isotherm/domain/readings/indicator';
import { switchLabel } from '@isotherm/i18n/alarm-words';
import Select from 'antd/es/select';
import type { ReactNode } from 'react';
import { INDICATOR_LABEL } from '../../../shared/format/labels.ts';
import { unitOf } from '../../../shared/format/number.ts';
import { useText } from '../../../shared/i18n/use-text.ts';
import { Button } from '../../../shared/ui/button.tsx';
import { isTab, KeyFrame } from '../../../shared/ui/form/key-frame.tsx';
import { NumberCell } from '../../../shared/ui/form/number-cell.tsx';
import { Icon } from '../../../shared/ui/icon.tsx';
import { type FurtherDraft, furtherOf, isSwitch } from './policy-draft.ts';

/** Edits the conditions about other channels that must be met as well: one row for each. */
export function FurtherCells({
  further,
  isWrong,
  onChange,
}: {
  further: readonly FurtherDraft[];
  isWrong: boolean;
  onChange: (further: FurtherDraft[]) => void;
}) {
  const { text } = useText();
  return (
    <>
      {further.map((part, at) => (
        <fieldset
          // biome-ignore lint/suspicious/noArrayIndexKey: a further condition has no identity but its position.
          key={at}
          className="graded-signal graded-further"
          aria-label={text('policies.signal.further', { index: at + 1 })}
        >
          <OtherChannelCells
            label={text('policies.signal.and')}
            other={part}
            isWrong={isWrong}
            onChange={(changes) =>
              onChange(further.map((each, i) => (i === at ? { ...each, ...changes } : each)))
            }
          />
          <Button
            variant="quiet"
            size="small"
            icon
            aria-label={text('policies.signal.further.remove', { index: at + 1 })}
            onClick={() => onChange(further.filter((_, i) => i !== at))}
          >
            <Icon name="bin" />
          </Button>
        </fieldset>
      ))}
      {further.length < MAX_AND ? (
        <Button
          variant="quiet"
          size="small"
          className="graded-further-add"
          onClick={() => onChange([...further, furtherOf('door')])}
        >
          <Icon name="plus" />
          {text('policies.signal.further.add')}
        </Button>
      ) : null}
    </>
  );
}

/** Cells for another channel of the device and the range in which its value must be. */
export function OtherChannelCells({
  label,
  other,
  isWrong,
  onChange,
}: {
  label: string;
  other: FurtherDraft;
  isWrong: boolean;
  onChange: (changes: Partial<FurtherDraft>) => void;
}) {
  const { text } = useText();
  const { otherQuantity } = other;
  const bound = (key: 'low' | 'high', ofBound: string) => (
    <Cell label={ofBound}>
      <NumberCell
        value={other[key]}
        label={ofBound}
        unit={unitOf(otherQuantity)}
        isWrong={isWrong}
        onChange={(value) => onChange({ [key]: value })}
      />
    </Cell>
  );
  return (
    <>
      <Cell label={label}>
        <KeyFrame take={isTab}>
          <Select<Indicator>
            className="form-select"
            aria-label={label}
            value={otherQuantity}
            options={INDICATOR_NAMES.map((value) => ({ value, label: text(INDICATOR_LABEL[value]) }))}
            onChange={(quantity) => onChange({ ...furtherOf(quantity), otherSensor: other.otherSensor })}
          />
        </KeyFrame>
      </Cell>
      {isSwitch(otherQuantity) ? (
        <Cell label={text('policies.signal.is')}>
          <KeyFrame take={isTab}>
            <Select<0 | 1>
              className="form-select"
              aria-label={text('policies.signal.is')}
              value={other.high === null ? 1 : 0}
              options={([0, 1] as const).map((value) => ({
                value,
                label: text(switchLabel(otherQuantity, value)),
              }))}
              onChange={(value) =>
                onChange({ low: value === 1 ? SWITCH_LIMIT : null, high: value === 0 ? SWITCH_LIMIT : null })
              }
            />
          </KeyFrame>
        </Cell>
      ) : (
        <>
          {bound('low', text('policies.signal.while-low'))}
          {bound('high', text('policies.signal.while-high'))}
        </>
      )}
      <SensorCell value={other.otherSensor} isWrong={isWrong} onChange={onChange} />
    </>
  );
}

/** Cell for the number of the sensor in the device. */
export function SensorCell({
  value,
  isWrong,
  onChange,
}: {
  value: FurtherDraft['otherSensor'];
  isWrong: boolean;
  onChange: (changes: Pick<FurtherDraft, 'otherSensor'>) => void;
}) {
  const { text } = useText();
  return (
    <Cell label={text('policies.signal.sensor')}>
      <NumberCell
        value={value}
        label={text('policies.signal.sensor')}
        unit=""
        isWrong={isWrong}
        onChange={(otherSensor) => onChange({ otherSensor })}
      />
    </Cell>
  );
}

export function Cell({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="graded-cell">
      <span className="field-label" aria-hidden="true">
        {label}
      </span>
      {children}
    </div>
  );
}
