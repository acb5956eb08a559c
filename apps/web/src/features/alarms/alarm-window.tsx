import './alarms.css';
import type { Alarm } from '@isotherm/contracts/alarms';
import { useQuery } from '@tanstack/react-query';
import { type CSSProperties, useRef, useState } from 'react';
import { Link } from 'react-router';
import { serverNow } from '../../shared/api/clock.ts';
import { useViewer } from '../../shared/format/viewer.tsx';
import { Icon } from '../../shared/ui/icon.tsx';
import { LevelGlyph } from '../../shared/ui/level-glyph.tsx';
import { useAlarmWindow } from './alarm-window-store.ts';
import { alarmFault, curvePath, limitText, valueText } from './alarm-words.ts';
import { openAlarmsQuery } from './alarms.queries.ts';
import { HandleForm } from './handle-form.tsx';
import { useDrag } from './use-drag.ts';

const BADGE_MOST = 99;
/** Older than this, the hour alone does not say when it was. */
const DAY_WORTH_MS = 12 * 3_600_000;

/** The floating window that opens by itself when an alarm comes (requirements §2, §4). */
export function AlarmWindow({ canHandle }: { canHandle: boolean }) {
  const open = useAlarmWindow((state) => state.open);
  return open ? <OpenWindow canHandle={canHandle} /> : null;
}

function OpenWindow({ canHandle }: { canHandle: boolean }) {
  const { text } = useViewer();
  const { alarms, unseen, muted, place, clear, show, mute, moveTo } = useAlarmWindow();
  const frame = useRef<HTMLElement>(null);
  const drag = useDrag(frame, place, moveTo);
  const newest = alarms[0];
  const { data: summary } = useQuery(openAlarmsQuery);
  return (
    <section
      ref={frame}
      className="alarm-window"
      aria-label={text('alarms.window.title')}
      style={
        {
          '--alarm-window-right': `${drag.place.right}px`,
          '--alarm-window-bottom': `${drag.place.bottom}px`,
        } as CSSProperties
      }
      onKeyDown={(event) => event.key === 'Escape' && show(false)}
    >
      <header className="alarm-window-head" {...drag.handlers}>
        <button type="button" className="alarm-window-grip" title={text('alarms.window.move')}>
          <Icon name="alarms" />
          {text('alarms.window.title')}
        </button>
        {unseen > 0 ? (
          <span className={`count level-${newest?.level ?? 1}`}>
            {unseen > BADGE_MOST ? `${BADGE_MOST}+` : unseen}
          </span>
        ) : null}
        <span className="end alarm-window-tools">
          <button
            type="button"
            className="button button-text button-icon"
            aria-pressed={muted}
            aria-label={text(muted ? 'alarms.window.unmute' : 'alarms.window.mute')}
            title={text(muted ? 'alarms.window.unmute' : 'alarms.window.mute')}
            onClick={() => mute(!muted)}
          >
            <Icon name={muted ? 'muted' : 'sound'} />
          </button>
          <button
            type="button"
            className="button button-text button-small"
            disabled={alarms.length === 0}
            onClick={clear}
          >
            {text('alarms.window.clear')}
          </button>
          <button
            type="button"
            className="button button-text button-icon"
            aria-label={text('common.action.close')}
            onClick={() => show(false)}
          >
            <Icon name="close" />
          </button>
        </span>
      </header>
      <div
        className="alarm-window-list"
        role="log"
        aria-live="polite"
        aria-label={text('alarms.window.title')}
      >
        {alarms.length === 0 ? <p className="alarm-window-empty">{text('alarms.window.empty')}</p> : null}
        {alarms.map((alarm, index) => (
          <WindowEntry key={alarm.id} alarm={alarm} actions={index === 0} canHandle={canHandle} />
        ))}
      </div>
      <footer className="alarm-window-foot">
        <span>{text('alarms.window.open-count', { count: summary?.open ?? 0 })}</span>
        <Link className="end" to="/alarm/current">
          {text('alarms.window.show-all')}
        </Link>
      </footer>
    </section>
  );
}

function WindowEntry({ alarm, actions, canHandle }: { alarm: Alarm; actions: boolean; canHandle: boolean }) {
  const { text, time } = useViewer();
  const [handling, setHandling] = useState(false);
  const value = valueText(alarm, alarm.peakValue ?? alarm.value, text);
  const ended = alarm.state === 'ended';
  return (
    <article className={`alarm-entry level-${alarm.level}${ended ? ' alarm-entry-ended' : ''}`}>
      <LevelGlyph level={alarm.level} mode={ended ? 'pending' : 'solid'} />
      <Link className="strong ellipsis alarm-entry-name" to={curvePath(alarm)}>
        {alarm.assetName}
      </Link>
      <time className="small tertiary number" dateTime={alarm.raisedAt}>
        {time(alarm.raisedAt, serverNow() - Date.parse(alarm.raisedAt) < DAY_WORTH_MS ? 'time' : 'day-time')}
      </time>
      <div className="small alarm-entry-line">
        {value ? (
          <bdi dir="ltr" className="level-text strong">
            {value}
          </bdi>
        ) : (
          <span className="level-text strong">{alarmFault(alarm, text)}</span>
        )}{' '}
        <span className="tertiary">
          {limitText(alarm, text)}
          {ended ? ` · ${text('alarms.state.ended')}` : ''}
          {alarm.handling ? ` · ${text('alarms.handled-by', { name: alarm.handling.by })}` : ''}
        </span>
      </div>
      {actions && (!handling || alarm.handling) ? (
        <div className="alarm-entry-actions">
          {canHandle && !alarm.handling ? (
            <button
              type="button"
              className="button button-primary button-small"
              onClick={() => setHandling(true)}
            >
              {text('alarms.handle')}
            </button>
          ) : null}
          <Link className="button button-text button-small" to={curvePath(alarm)}>
            <Icon name="curve" />
            {text('alarms.curve')}
          </Link>
        </div>
      ) : null}
      {handling && !alarm.handling ? (
        <div className="alarm-entry-form">
          <HandleForm alarm={alarm} onDone={() => setHandling(false)} />
        </div>
      ) : null}
    </article>
  );
}
