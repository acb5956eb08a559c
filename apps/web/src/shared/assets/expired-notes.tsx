import './expired-notes.css';
import { Link } from 'react-router';
import { usePermission } from '../access/permissions.ts';
import { useViewer } from '../format/viewer.tsx';
import { Icon } from '../ui/icon.tsx';

/**
 * Notes about devices or channels whose subscription has expired, with a link to the renewal. Nothing if there are
 * none.
 */
export function ExpiredNotes({
  expired,
}: {
  expired: readonly { id: number; name: string; expiredAt: string }[];
}) {
  const { text, time } = useViewer();
  const mayRenew = usePermission('device-expired:view');
  if (expired.length === 0) return null;
  return (
    <ul className="expired-notes small">
      {expired.map(({ id, name, expiredAt }) => (
        <li key={id}>
          <Icon name="info" small />
          <span>
            {text('subscription.hidden', { name, date: time(expiredAt, 'date-time') })}{' '}
            {mayRenew ? <Link to="/device/expired">{text('subscription.renew')}</Link> : null}
          </span>
        </li>
      ))}
    </ul>
  );
}
