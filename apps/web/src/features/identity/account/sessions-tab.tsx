import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useText } from '../../../shared/i18n/use-text.ts';
import { Button } from '../../../shared/ui/button.tsx';
import { ConfirmWithReason } from '../../../shared/ui/confirm-dialog.tsx';
import { Icon } from '../../../shared/ui/icon.tsx';
import { FailureNotice } from '../../../shared/ui/notice.tsx';
import { toast } from '../../../shared/ui/toast.tsx';
import { SessionList } from '../users/session-list.tsx';
import { ownSessionsQuery, useAccountChanges } from './account.queries.ts';

/** Tab with the sessions of the account and a button that ends all others. */
export function SessionsTab() {
  const { text } = useText();
  const changes = useAccountChanges();
  const { data, error, refetch } = useQuery(ownSessionsQuery);
  const [asking, setAsking] = useState(false);
  const others = data?.filter(({ current }) => !current).length ?? 0;
  return (
    <section className="panel">
      {error ? <FailureNotice error={error} retry={() => void refetch()} /> : null}
      {data ? <SessionList sessions={data} empty={text('users.sessions.none')} /> : null}
      {!data && !error ? <div className="skeleton skeleton-body" /> : null}
      <div className="user-foot">
        <Button disabled={others === 0} onClick={() => setAsking(true)}>
          <Icon name="leave" />
          {text('account.sessions.end')}
        </Button>
      </div>
      {asking ? (
        <ConfirmWithReason
          weight="plain"
          title={text('account.sessions.end')}
          confirmLabel={text('account.sessions.end')}
          onConfirm={async () => {
            const { ended } = await changes.endOtherSessions();
            toast('success', text('account.sessions.ended', { count: ended }));
          }}
          onClose={() => setAsking(false)}
        >
          {text('users.sessions.end-means')}
        </ConfirmWithReason>
      ) : null}
    </section>
  );
}
