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
  isPublic = false,
}: {
  expired: readonly { id: number; name: string; expiredAt: string }[];
  /** True on a page without login, where nobody can renew. */
  isPublic?: boolean;
}) {
  const { text, time } = useViewer();
  if (expired.length === 0) return null;
  return (
    <ul className="expired-notes small">
      {expired.map(({ id, name, expiredAt }) => (
        <li key={id}>
          <Icon name="info" small />
          <span>
            {text('subscription.hidden', { name, date: time(expiredAt, 'date-time') })}{' '}
            {isPublic ? null : <RenewalLink />}
          </span>
        </li>
      ))}
    </ul>
  );
}

function RenewalLink() {
  const { text } = useViewer();
  const mayRenew = usePermission('device-expired:view');
  return mayRenew ? <Link to="/device/expired">{text('subscription.renew')}</Link> : null;
}
