import { useQuery } from '@tanstack/react-query';
import { useText } from '../../shared/i18n/use-text.ts';
import { openAlarmsQuery } from './alarms.queries.ts';

/** How many alarms are open, in the colour of the gravest. */
export function OpenAlarmsBadge() {
  const { text } = useText();
  const { data } = useQuery(openAlarmsQuery);
  const open = data?.open ?? 0;
  if (open === 0) return null;
  const level = data?.items[0]?.level;
  return (
    <span
      className={level ? `count level-${level}` : 'count'}
      title={text('alarms.open-count', { count: open })}
    >
      {open > 99 ? '99+' : open}
    </span>
  );
}
