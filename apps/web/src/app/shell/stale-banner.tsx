import { MAX_SOCKETS_PER_PERSON } from '@isotherm/contracts/realtime';
import { useEffect, useState } from 'react';
import { useViewer } from '../../shared/format/viewer.tsx';
import { reconnectNow, useConnection } from '../../shared/socket/socket.ts';
import { Button } from '../../shared/ui/button.tsx';
import { Icon } from '../../shared/ui/icon.tsx';

/** Connection interruptions shorter than this are not shown. */
const PATIENCE_MS = 1500;

/**
 * Banner that says that the data on the screen may be out of date: since when, why, and what happens next
 * (ui.md 8).
 */
export function StaleBanner() {
  const { text, time } = useViewer();
  const { stale, status } = useConnection();
  const [shown, setShown] = useState(false);
  useEffect(() => {
    if (!stale) {
      setShown(false);
      return;
    }
    const timer = setTimeout(() => setShown(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, [stale]);
  if (!stale || !shown) return null;
  const since = time(stale.since, 'time-seconds');
  return (
    <div className="stale-banner" role="status">
      <Icon name="unlinked" />
      <span>
        {stale.reason === 'tabs'
          ? text('common.stale.tabs', { since, count: MAX_SOCKETS_PER_PERSON })
          : text(stale.reason === 'database' ? 'common.stale.database' : 'common.stale.socket', { since })}
      </span>
      {status === 'given-up' ? (
        <Button size="small" className="end" onClick={reconnectNow}>
          {text('common.stale.reconnect')}
        </Button>
      ) : (
        <span className="end small">{text('common.stale.trying')}</span>
      )}
    </div>
  );
}
