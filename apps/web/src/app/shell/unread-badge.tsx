import { useQueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { unreadAnnouncementsIn } from '../../features/settings/settings.queries.ts';
import { useText } from '../../shared/i18n/use-text.ts';

const BADGE_MOST = 99;

/** Number of unread announcements, from the latest response with permissions. */
export function UnreadBadge() {
  const { text } = useText();
  const queries = useQueryClient();
  const unread = useSyncExternalStore(
    (changed) => queries.getQueryCache().subscribe(changed),
    () => unreadAnnouncementsIn(queries),
  );
  if (unread === 0) return null;
  return (
    <span className="count" title={text('shell.unread', { count: unread })}>
      {unread > BADGE_MOST ? `${BADGE_MOST}+` : unread}
    </span>
  );
}
