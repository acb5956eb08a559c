import { useState } from 'react';
import { readSession } from '../../../shared/api/session.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { Button } from '../../../shared/ui/button.tsx';
import { ConfirmDialog } from '../../../shared/ui/confirm-dialog.tsx';
import { FocusReturn } from '../../../shared/ui/focus-return.tsx';
import { Icon } from '../../../shared/ui/icon.tsx';
import { discardHandover, NO_CONNECTION, tryAgain, useOnSent, useOutbox } from './handover-outbox.ts';
import type { SavedHandover } from './handover-store.ts';

/** Whether a hand-over of this browser was sent, and what to do if not. */
export function HandoverState({ entry }: { entry: SavedHandover }) {
  const { text, time } = useViewer();
  const isSending = useOutbox(({ sending }) => sending === entry.key);
  const onSent = useOnSent();
  const [doubted, setDoubted] = useState(false);
  const isOwn = entry.username === readSession()?.username;
  const { title, means } = wordsOf();
  return (
    <div className={entry.state === 'sent' ? 'trip-state' : 'trip-state trip-state-open'}>
      <div className="trip-state-words" role="status">
        <Icon name={entry.state === 'sent' ? 'check' : entry.state === 'refused' ? 'info' : 'clock'} />
        <span>
          <span className="strong">{title}</span>
          <span className="small secondary trip-address">{means}</span>
        </span>
      </div>
      {entry.state === 'sent' ? null : (
        <div className="row">
          <Button disabled={isSending || !isOwn} onClick={() => void tryAgain(entry.key, onSent)}>
            {text('common.action.retry')}
          </Button>
          {entry.state === 'refused' || !isOwn ? (
            <Button variant="quiet" onClick={() => setDoubted(true)}>
              {text('trips.discard')}
            </Button>
          ) : null}
        </div>
      )}
      {doubted ? (
        <>
          <FocusReturn />
          <ConfirmDialog
            grave
            title={text('trips.discard.title', { number: entry.number })}
            confirmLabel={text('trips.discard')}
            onConfirm={() => discardHandover(entry.key)}
            onClose={() => setDoubted(false)}
          >
            {text('trips.discard.means')}
          </ConfirmDialog>
        </>
      ) : null}
    </div>
  );

  function wordsOf(): { title: string; means: string } {
    if (entry.state === 'sent')
      return {
        title: `${text('trips.sent')}, ${time(entry.sentAt ?? 0, 'date-time')}`,
        means: text('trips.sent.means'),
      };
    if (entry.state === 'refused') return { title: text('trips.refused'), means: entry.failure };
    if (!isOwn)
      return { title: text('trips.unsent'), means: text('trips.account', { username: entry.username }) };
    if (isSending || entry.failure === '')
      return { title: text('trips.sending'), means: text('trips.waiting.means') };
    return entry.failure === NO_CONNECTION
      ? { title: text('trips.waiting'), means: text('trips.waiting.means') }
      : { title: text('trips.unsent'), means: `${entry.failure} ${text('trips.waiting.means')}` };
  }
}
