import './users.css';
import type { UserSession } from '@isotherm/contracts/users';
import { Age, useViewer } from '../../../shared/format/viewer.tsx';
import { Icon } from '../../../shared/ui/icon.tsx';
import { Notice } from '../../../shared/ui/notice.tsx';

/** Table of the sessions of an account. */
export function SessionList({ sessions, empty }: { sessions: readonly UserSession[]; empty: string }) {
  const { text, time } = useViewer();
  if (sessions.length === 0) return <Notice icon="screen" title={empty} />;
  return (
    <ul className="sessions">
      {sessions.map((session) => (
        <li key={session.id}>
          <Icon name="screen" />
          <div className="grow">
            <div className="strong">
              {session.client}
              {session.current ? (
                <span className="tag session-current">{text('users.session.current')}</span>
              ) : null}
            </div>
            <div className="small secondary">
              {text('users.session.since', {
                address: session.address,
                time: time(session.createdAt, 'date-time'),
              })}
            </div>
          </div>
          <span className="small tertiary">
            <Age since={session.lastSeenAt} />
          </span>
        </li>
      ))}
    </ul>
  );
}
