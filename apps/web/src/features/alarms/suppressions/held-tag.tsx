import './suppressions.css';
import type { Alarm } from '@isotherm/contracts/alarms';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { shortTime } from './suppression-words.ts';

/** Tag of an alarm whose notifications a suppression window holds back; nothing for other alarms. */
export function HeldTag({ alarm: { suppression } }: { alarm: Pick<Alarm, 'suppression'> }) {
  const viewer = useViewer();
  return suppression ? (
    <span className="tag" title={suppression.reason}>
      {viewer.text('suppressions.alarm.tag', { time: shortTime(suppression.until, viewer) })}
    </span>
  ) : null;
}
