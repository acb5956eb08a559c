import '../users/users.css';
import { listPushApps, type PushApp, removePushApp, testPushApp } from '@isotherm/contracts/push-apps';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../../shared/api/client.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { Button } from '../../../shared/ui/button.tsx';
import { ConfirmWithReason } from '../../../shared/ui/confirm-dialog.tsx';
import { Icon } from '../../../shared/ui/icon.tsx';
import { FailureNotice } from '../../../shared/ui/notice.tsx';
import { toast } from '../../../shared/ui/toast.tsx';

const KEY = ['identity', 'account', 'push-apps'] as const;

/** Panel with the mobile apps that receive alarms; nothing while the installation offers none and there is none. */
export function PushAppsPanel() {
  const { text, time } = useViewer();
  const queries = useQueryClient();
  const [removing, setRemoving] = useState<PushApp | null>(null);
  const { data, error, refetch } = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => call(listPushApps, { signal, quiet: true }),
  });
  const refresh = () => queries.invalidateQueries({ queryKey: KEY });
  if (data && data.services.length === 0 && data.apps.length === 0) return null;

  async function test({ id }: PushApp) {
    const { outcome, error: reason } = await call(testPushApp, { params: { id } });
    if (outcome === 'sent') toast('success', text('push.test.sent'));
    else if (outcome === 'gone') toast('failure', text('push-apps.test.gone'));
    else toast('failure', text('push-apps.test.failed', { error: reason }));
    await refresh();
  }

  async function remove({ id }: PushApp) {
    await call(removePushApp, { params: { id } });
    toast('success', text('push-apps.removed'));
    await refresh();
  }

  return (
    <section className="panel account-panel">
      <h2>{text('push-apps.title')}</h2>
      <p className="secondary">{text('push-apps.means')}</p>
      {error ? <FailureNotice error={error} retry={() => void refetch()} /> : null}
      {data?.apps.length === 0 ? <p className="secondary">{text('push-apps.none')}</p> : null}
      {data && data.apps.length > 0 ? (
        <ul className="sessions">
          {data.apps.map((app) => (
            <li key={app.id} className="account-browser">
              <Icon name="alarms" />
              <div className="grow">
                <div className="strong">{app.name}</div>
                <div className="small secondary">{text(`push-apps.service.${app.service}`)}</div>
                <div className="small secondary">
                  {text('push-apps.since', {
                    since: time(app.registeredAt, 'date-time'),
                    sent: app.lastSentAt ? time(app.lastSentAt, 'date-time') : 'never',
                  })}
                </div>
                {app.lastError === '' ? null : (
                  <div className="small">{text('push-apps.error', { error: app.lastError })}</div>
                )}
              </div>
              <Button size="small" onClick={() => void test(app)}>
                {text('push.test')}
              </Button>
              <Button size="small" variant="quiet" onClick={() => setRemoving(app)}>
                {text('push.remove')}
              </Button>
            </li>
          ))}
        </ul>
      ) : null}
      {removing ? (
        <ConfirmWithReason
          weight="plain"
          title={text('push.remove')}
          confirmLabel={text('push.remove')}
          onConfirm={() => remove(removing)}
          onClose={() => setRemoving(null)}
        >
          {text('push-apps.remove.means', { name: removing.name })}
        </ConfirmWithReason>
      ) : null}
    </section>
  );
}
