import { useEffect } from 'react';
import { isFinalRefusal } from '../../shared/api/api-error.ts';
import { useText } from '../../shared/i18n/use-text.ts';
import { FailureNotice } from '../../shared/ui/notice.tsx';
import { toast } from '../../shared/ui/toast.tsx';

/** Requirements §8: the message stays this long before the logout. */
const LOGOUT_AFTER_MS = 1_000;

/**
 * Shown when the account's data could not be loaded. If the server refuses the request, the user is logged
 * out after a second (requirements §8). During an outage, which may pass, the user can retry instead
 * (decision record 0013).
 *
 * @param leave logs out and opens the login page
 */
export function ProfileFailure({
  error,
  retry,
  leave,
}: {
  error: unknown;
  retry: () => void;
  leave: () => void;
}) {
  const { text } = useText();
  const isRefused = isFinalRefusal(error);
  useEffect(() => {
    if (!isRefused) return;
    toast('failure', text('shell.failure.profile'));
    const timer = setTimeout(leave, LOGOUT_AFTER_MS);
    return () => clearTimeout(timer);
  }, [isRefused, leave, text]);
  return <FailureNotice title={text('shell.failure.profile')} error={error} retry={retry} />;
}
