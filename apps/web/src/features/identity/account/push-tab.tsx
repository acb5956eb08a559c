import '../users/users.css';
import { type PushBrowser, removePushBrowser, testPushBrowser } from '@isotherm/contracts/web-push';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../../shared/api/client.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { useText } from '../../../shared/i18n/use-text.ts';
import { Button } from '../../../shared/ui/button.tsx';
import { ConfirmWithReason } from '../../../shared/ui/confirm-dialog.tsx';
import { Icon } from '../../../shared/ui/icon.tsx';
import { FailureNotice } from '../../../shared/ui/notice.tsx';
import { toast } from '../../../shared/ui/toast.tsx';
import { enablePush, ownSubscription, PUSH_KEY, pushBrowsersQuery, pushFault } from './push-browser.ts';

/** Tab with the browsers in which alarms appear as notifications. */
export function PushTab() {
  const { text } = useText();
  const queries = useQueryClient();
  const { data, error, refetch } = useQuery(pushBrowsersQuery);
  const own = useQuery({
    queryKey: [...PUSH_KEY, 'own'],
    queryFn: async () => (await ownSubscription())?.endpoint ?? null,
  });
  const [isBusy, setIsBusy] = useState(false);
  const fault = pushFault();
  const isEnabled = data?.browsers.some(({ endpoint }) => endpoint === own.data) ?? false;
  const refresh = () => queries.invalidateQueries({ queryKey: PUSH_KEY });

  async function enable(publicKey: string) {
    setIsBusy(true);
    try {
      if (await enablePush(publicKey)) toast('success', text('push.added'));
    } catch (failure) {
      // The client has shown failures of calls; those of the browser have a name.
      if (failure instanceof DOMException)
        toast('failure', text('push.test.failed', { error: failure.message }));
    }
    await refresh();
    setIsBusy(false);
  }

  return (
    <section className="panel account-panel">
      <h2>{text('push.title')}</h2>
      <p className="secondary">{text('push.means')}</p>
      {error ? <FailureNotice error={error} retry={() => void refetch()} /> : null}
      {data && data.browsers.length > 0 ? (
        <BrowserList browsers={data.browsers} own={own.data ?? null} changed={refresh} />
      ) : null}
      {data?.browsers.length === 0 && fault === null ? (
        <p className="secondary">{text('push.none')}</p>
      ) : null}
      {fault ? <p className="secondary">{text(`push.${fault}`)}</p> : null}
      {data && fault === null && !isEnabled ? (
        <div className="user-foot">
          <Button variant="primary" disabled={isBusy} onClick={() => void enable(data.publicKey)}>
            {text('push.enable')}
          </Button>
        </div>
      ) : null}
    </section>
  );
}

function BrowserList({
  browsers,
  own,
  changed,
}: {
  browsers: readonly PushBrowser[];
  /** Address of this browser. */
  own: string | null;
  changed: () => Promise<void>;
}) {
  const { text, time } = useViewer();
  const [removing, setRemoving] = useState<PushBrowser | null>(null);

  async function test({ id }: PushBrowser) {
    const { outcome, error } = await call(testPushBrowser, { params: { id } });
    if (outcome === 'sent') toast('success', text('push.test.sent'));
    else if (outcome === 'gone') toast('failure', text('push.test.gone'));
    else toast('failure', text('push.test.failed', { error }));
    await changed();
  }

  async function remove({ id, endpoint }: PushBrowser) {
    await call(removePushBrowser, { params: { id } });
    if (endpoint === own) await (await ownSubscription())?.unsubscribe();
    toast('success', text('push.removed'));
    await changed();
  }

  return (
    <>
      <ul className="sessions">
        {browsers.map((browser) => (
          <li key={browser.id} className="account-browser">
            <Icon name="alarms" />
            <div className="grow">
              <div className="strong">
                {browser.name}
                {browser.endpoint === own ? (
                  <span className="tag session-current">{text('push.this')}</span>
                ) : null}
              </div>
              <div className="small secondary">
                {text('push.since', {
                  since: time(browser.createdAt, 'date-time'),
                  sent: browser.lastSentAt ? time(browser.lastSentAt, 'date-time') : 'never',
                })}
              </div>
            </div>
            <Button size="small" onClick={() => void test(browser)}>
              {text('push.test')}
            </Button>
            <Button size="small" variant="quiet" onClick={() => setRemoving(browser)}>
              {text('push.remove')}
            </Button>
          </li>
        ))}
      </ul>
      {removing ? (
        <ConfirmWithReason
          weight="plain"
          title={text('push.remove')}
          confirmLabel={text('push.remove')}
          onConfirm={() => remove(removing)}
          onClose={() => setRemoving(null)}
        >
          {text('push.remove.means', { name: removing.name })}
        </ConfirmWithReason>
      ) : null}
    </>
  );
}
