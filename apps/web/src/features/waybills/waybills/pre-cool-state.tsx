import type { PreCoolView } from '@isotherm/contracts/waybills';
import { preCoolWords } from '@isotherm/i18n/pre-cool-words';
import { useViewer } from '../../../shared/format/viewer.tsx';

/** Whether the vehicle or box is, or was, in range for long enough before the departure. */
export function PreCoolState({ preCool, hasDeparted }: { preCool: PreCoolView; hasDeparted: boolean }) {
  const { text, time } = useViewer();
  const { exception } = preCool;
  return (
    <>
      <p className={preCool.state === 'ready' ? '' : 'strong'} role={hasDeparted ? undefined : 'status'}>
        {preCoolWords(preCool, hasDeparted, text)}
      </p>
      {hasDeparted ? null : (
        <progress
          className="waybill-bar"
          aria-label={text('waybills.pre-cool')}
          max={preCool.requiredMs}
          value={preCool.insideMs}
        />
      )}
      {exception ? (
        <p className="secondary">
          {exception.isAutomatic
            ? text('waybills.pre-cool.automatic')
            : text('waybills.pre-cool.by', { reason: exception.reason, username: exception.username })}
        </p>
      ) : null}
      <p className="small tertiary">
        {text('waybills.pre-cool.of', { asset: preCool.assetName, time: time(preCool.at, 'date-time') })}
      </p>
    </>
  );
}
