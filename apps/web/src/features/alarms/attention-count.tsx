import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { usePermission } from '../../shared/access/permissions.ts';
import { useText } from '../../shared/i18n/use-text.ts';
import { attentionQuery } from './alarms.queries.ts';

const BADGE_MOST = 99;

/**
 * Badge of the bell and of the menu: number of alarms that need attention (decision 22), in the colour of
 * the worst one.
 */
export function AttentionBadge() {
  const { text } = useText();
  const { data } = useQuery(attentionQuery);
  const count = data?.total ?? 0;
  if (count === 0) return null;
  const level = data?.items[0]?.level;
  return (
    <span className={level ? `count level-${level}` : 'count'} title={text('alarms.attention', { count })}>
      {count > BADGE_MOST ? `${BADGE_MOST}+` : count}
    </span>
  );
}

/**
 * Number of alarms that need attention as text, with a link to the list; nothing if there are none or the
 * user has no permission to see them.
 */
export function AttentionLink() {
  const { text } = useText();
  const seesAlarms = usePermission('alarm-current:view');
  const { data } = useQuery({ ...attentionQuery, enabled: seesAlarms });
  const count = data?.total ?? 0;
  if (count === 0) return null;
  return (
    <Link className="small" to="/alarm/current">
      {text('alarms.attention', { count })}
    </Link>
  );
}
