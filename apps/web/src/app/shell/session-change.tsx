import { useEffect, useState } from 'react';
import { loginPath } from '../../shared/api/redirect.ts';
import { readSession } from '../../shared/api/session.ts';
import { useText } from '../../shared/i18n/use-text.ts';
import { ConfirmDialog } from '../../shared/ui/confirm-dialog.tsx';

type Change = 'other-account' | 'logged-out';

/** Compares the current session of the browser with the session that this tab was opened with. */
function changeSince(username: string): Change | null {
  const now = readSession();
  if (now === null) return 'logged-out';
  return now.username === username ? null : 'other-account';
}

/**
 * Shows a message when the session ends or changes to another account in another tab. All tabs of a browser
 * share one session; without the message, data could be shown or saved under the wrong account.
 */
export function SessionChange() {
  const { text } = useText();
  const [username] = useState(() => readSession()?.username ?? '');
  const [change, setChange] = useState<Change | null>(null);
  useEffect(() => {
    const check = () => setChange(changeSince(username));
    // The `storage` event is fired in other tabs only. The tab that changes the session loads a new page
    // anyway.
    window.addEventListener('storage', check);
    // Safari does not fire `storage` in suspended tabs.
    document.addEventListener('visibilitychange', check);
    return () => {
      window.removeEventListener('storage', check);
      document.removeEventListener('visibilitychange', check);
    };
  }, [username]);
  if (change === null) return null;
  const goOn = () =>
    change === 'logged-out'
      ? location.replace(loginPath(location.pathname + location.search + location.hash))
      : location.assign('/');
  const account = readSession()?.username ?? '';
  return (
    <ConfirmDialog
      title={text(change === 'logged-out' ? 'common.session.ended' : 'common.session.changed')}
      confirmLabel={
        change === 'logged-out' ? text('common.session.log-in') : text('common.session.reload', { account })
      }
      cancelLabel={null}
      mustAnswer
      onConfirm={goOn}
      onClose={goOn}
    >
      {change === 'logged-out'
        ? text('common.session.ended.means', { username })
        : text('common.session.changed.means', { account, username })}
    </ConfirmDialog>
  );
}
