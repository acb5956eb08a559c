import './trips.css';
import { Link } from 'react-router';
import { useText } from '../../../shared/i18n/use-text.ts';
import { Icon } from '../../../shared/ui/icon.tsx';
import { useHandoverSender, useOutbox } from './handover-outbox.ts';

/** Sends the hand-overs of this browser, and says on every page how many were not sent yet. */
export function UnsentBanner() {
  const { text } = useText();
  useHandoverSender();
  const count = useOutbox(({ entries }) => entries.filter(({ state }) => state !== 'sent').length);
  if (count === 0) return null;
  return (
    <Link className="trip-banner" to="/waybill/trips" role="status">
      <Icon name="clock" />
      {text('trips.banner', { count })}
    </Link>
  );
}
