import { Link } from 'react-router';
import { sizeText } from '../../../shared/format/size.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { buttonClass } from '../../../shared/ui/button.tsx';
import { Icon } from '../../../shared/ui/icon.tsx';
import { HandoverState } from './handover-state.tsx';
import type { SavedHandover } from './handover-store.ts';
import { Facts } from './trip-check.tsx';
import { TripFrame } from './trip-frame.tsx';

/** Third step of a hand-over: what was confirmed, and whether it was sent. */
export function HandoverResult({ entry, onBack }: { entry: SavedHandover; onBack: () => void }) {
  const { text, time } = useViewer();
  const { input } = entry;
  const size = entry.photos.reduce((sum, bytes) => sum + bytes.byteLength, JSON.stringify(input).length);
  return (
    <TripFrame
      title={text('trips.check.done')}
      step={3}
      onBack={onBack}
      actions={
        <Link className={buttonClass({ variant: 'primary' }, 'grow')} to="/waybill/trips">
          {text('trips.others')}
        </Link>
      }
    >
      <div className="trip-done">
        <Icon name="check" />
        <h2>{text(`trips.done.${input.kind}`)}</h2>
        <p className="secondary">{time(entry.signedAt, 'date-time')}</p>
      </div>
      <HandoverState entry={entry} />
      <section className="panel trip-panel">
        <Facts
          rows={[
            [text('trips.waybill'), entry.number],
            [text('waybills.person'), input.givenBy],
            [text('waybills.person.received'), input.takenBy],
            ...(entry.state === 'sent'
              ? []
              : [
                  [text('trips.photos'), String(entry.photos.length)] as const,
                  [text('trips.saved.size'), sizeText(size)] as const,
                ]),
          ]}
        />
      </section>
      {entry.state === 'sent' ? null : <p className="small tertiary">{text('trips.close-hint')}</p>}
    </TripFrame>
  );
}
