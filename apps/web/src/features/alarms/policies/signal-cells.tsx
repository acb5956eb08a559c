import { SIGNAL_TYPES, type SignalType } from '@isotherm/domain/alarms/signal';
import type { Indicator } from '@isotherm/domain/readings/indicator';
import Select from 'antd/es/select';
import { unitOf } from '../../../shared/format/number.ts';
import { useText } from '../../../shared/i18n/use-text.ts';
import { isTab, KeyFrame } from '../../../shared/ui/form/key-frame.tsx';
import { NumberCell } from '../../../shared/ui/form/number-cell.tsx';
import { Cell, FurtherCells, OtherChannelCells, SensorCell } from './further-cells.tsx';
import {
  type ConditionDraft,
  conditionOf,
  furtherOf,
  isSwitch,
  type SignalDraft,
  signalOf,
  type Typed,
} from './policy-draft.ts';

const MINUTE_MS = 60_000;
const VALUE = 'value';
/** Types of signals that are not possible for a switch, such as a door. */
const OF_QUANTITIES: ReadonlySet<SignalType> = new Set(['rate', 'forecast', 'difference']);

/**
 * Cells that select what is compared with the limits: the measured value, or a signal derived from it with
 * its settings.
 */
export function SignalCells({
  condition,
  isWrong,
  onChange,
}: {
  condition: ConditionDraft;
  isWrong: boolean;
  onChange: (changes: Partial<ConditionDraft>) => void;
}) {
  const { text } = useText();
  const { quantity, signal } = condition;
  if (quantity === 'contact') return null;
  const types = SIGNAL_TYPES.filter((type) => !(isSwitch(quantity) && OF_QUANTITIES.has(type)));
  const set = (changes: Partial<SignalDraft>) =>
    signal && onChange({ signal: { ...signal, ...changes } as SignalDraft });
  const minutes = (key: 'windowMs' | 'horizonMs', label: string) =>
    signal && key in signal ? (
      <Cell label={label}>
        <NumberCell
          value={inMinutes(signal[key] ?? null)}
          label={label}
          unit={text('policies.step.minutes')}
          isWrong={isWrong}
          onChange={(value) => set({ [key]: typeof value === 'number' ? value * MINUTE_MS : value })}
        />
      </Cell>
    ) : null;
  const bound = (key: 'low' | 'high', of: Indicator, label: string) => (
    <Cell label={label}>
      <NumberCell
        value={signal?.[key] ?? null}
        label={label}
        unit={unitOf(of)}
        isWrong={isWrong}
        onChange={(value) => set({ [key]: value })}
      />
    </Cell>
  );
  return (
    <div className={signal ? 'graded-signal' : 'graded-plain'}>
      <Cell label={text('policies.signal')}>
        <KeyFrame take={isTab}>
          <Select<SignalType | typeof VALUE>
            className="form-select"
            aria-label={text('policies.signal')}
            value={signal?.type ?? VALUE}
            options={[VALUE, ...types].map((value) => ({
              value: value as SignalType | typeof VALUE,
              label: text(`policies.signal.${value as SignalType | typeof VALUE}`),
            }))}
            onChange={(type) => {
              const { low, high } = conditionOf(quantity);
              onChange({
                signal: type === VALUE ? null : signalOf(type, condition),
                defrostDelayMs: 0,
                ...(type === VALUE || type === 'forecast' || type === 'while'
                  ? { low, high }
                  : { low: null, high: null, recoveryMargin: 0 }),
              });
            }}
          />
        </KeyFrame>
      </Cell>
      {minutes('windowMs', text('policies.signal.window'))}
      {minutes('horizonMs', text('policies.signal.horizon'))}
      {signal?.type === 'outside-time' || signal?.type === 'outside-count' ? (
        <>
          {bound('low', quantity, text('policies.signal.range-low'))}
          {bound('high', quantity, text('policies.signal.range-high'))}
        </>
      ) : null}
      {signal?.type === 'while' ? (
        <OtherChannelCells
          label={text('policies.signal.other')}
          other={{ ...furtherOf('door'), ...signal }}
          isWrong={isWrong}
          onChange={set}
        />
      ) : null}
      {signal?.type === 'difference' ? (
        <SensorCell value={signal.otherSensor ?? null} isWrong={isWrong} onChange={set} />
      ) : null}
      {signal ? (
        <p className="small secondary graded-signal-help">{text(`policies.signal.${signal.type}.help`)}</p>
      ) : null}
      <FurtherCells
        further={signal?.and ?? []}
        isWrong={isWrong}
        onChange={(and) =>
          signal ? set({ and }) : onChange({ signal: signalOf('while', condition), defrostDelayMs: 0 })
        }
      />
    </div>
  );
}

const inMinutes = (ms: Typed): Typed => (typeof ms === 'number' ? ms / MINUTE_MS : ms);
