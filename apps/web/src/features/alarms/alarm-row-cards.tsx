import './alarms.css';
import type { Alarm } from '@isotherm/contracts/alarms';
import { Lasting, useViewer } from '../../shared/format/viewer.tsx';
import { LevelGlyph } from '../../shared/ui/level-glyph.tsx';
import { alarmFault, limitText, stateText, subjectText, valueText } from './alarm-words.ts';
import { HeldTag } from './suppressions/held-tag.tsx';

/** Shows the rows of the table as cards on a phone. */
export function AlarmRowCards({
  alarms,
  onOpen,
}: {
  alarms: readonly Alarm[];
  onOpen: (alarm: Alarm) => void;
}) {
  const { text, time } = useViewer();
  return (
    <div className="alarm-cards">
      {alarms.map((alarm) => {
        const value = valueText(alarm, alarm.peakValue ?? alarm.value, text);
        return (
          <button
            key={alarm.id}
            type="button"
            className={`alarm-row-card level-${alarm.level}`}
            onClick={() => onOpen(alarm)}
          >
            <LevelGlyph level={alarm.level} mode={alarm.state === 'ended' ? 'ended' : 'solid'} />
            <span className="strong ellipsis">{alarm.assetName}</span>
            <span className="small tertiary">
              <Lasting since={alarm.since} until={alarm.endedAt} />
            </span>
            <span className="small alarm-row-line">
              <span className="level-text strong">{value ?? alarmFault(alarm, text)}</span>{' '}
              <span className="tertiary">
                {limitText(alarm, text)} · {time(alarm.since, 'day-time')}
              </span>
            </span>
            <span className="small secondary alarm-row-line">
              {subjectText(alarm, text)} · {stateText(alarm, text)} ·{' '}
              {alarm.acknowledgement
                ? text('alarms.acknowledged-by', { name: alarm.acknowledgement.by })
                : text('alarms.nobody')}{' '}
              <HeldTag alarm={alarm} />
            </span>
          </button>
        );
      })}
    </div>
  );
}
