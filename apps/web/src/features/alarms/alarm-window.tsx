import './alarms.css';
import type { Alarm } from '@isotherm/contracts/alarms';
import { useQuery } from '@tanstack/react-query';
import { type CSSProperties, useRef, useState } from 'react';
import { Link } from 'react-router';
import { serverNow } from '../../shared/api/clock.ts';
import { AssetLink } from '../../shared/assets/asset-link.tsx';
import { useViewer } from '../../shared/format/viewer.tsx';
import type { Text } from '../../shared/i18n/use-text.ts';
import { Button, buttonClass } from '../../shared/ui/button.tsx';
import { Icon } from '../../shared/ui/icon.tsx';
import { LevelGlyph } from '../../shared/ui/level-glyph.tsx';
import { AcknowledgeForm } from './acknowledge-form.tsx';
import { useSoundBlocked } from './alarm-sound.ts';
import { useAlarmWindow } from './alarm-window-store.ts';
import { alarmFault, alarmPath, curveQuery, limitText, valueText } from './alarm-words.ts';
import { attentionQuery, worstUnacknowledgedQuery } from './alarms.queries.ts';
import { useDrag } from './use-drag.ts';

const BADGE_MOST = 99;
/**
 * If an alarm is older than this, its time is shown with the date, because the time of day alone would be
 * ambiguous.
 */
const DAY_WORTH_MS = 12 * 3_600_000;

/** The floating window that opens when an alarm arrives (requirements §2, §4). */
export function AlarmWindow({ canAcknowledge }: { canAcknowledge: boolean }) {
  const open = useAlarmWindow((state) => state.open);
  return (
    <>
      <Announcer />
      {open ? <OpenWindow canAcknowledge={canAcknowledge} /> : null}
    </>
  );
}

/**
 * A live region that is always in the document, also while the window is closed, because screen readers
 * announce only changes in an existing region.
 */
function Announcer() {
  const { text } = useViewer();
  const newest = useAlarmWindow(({ arrived, alarms }) => (arrived > 0 ? alarms[0] : undefined));
  return (
    <div
      className="visually-hidden"
      role="log"
      aria-live="assertive"
      aria-label={text('alarms.window.title')}
    >
      {newest ? (
        <p key={newest.id}>
          {text('alarms.window.announcement', {
            level: newest.level,
            asset: newest.assetName,
            fault: alarmFault(newest, text),
          })}
        </p>
      ) : null}
    </div>
  );
}

function OpenWindow({ canAcknowledge }: { canAcknowledge: boolean }) {
  const { text } = useViewer();
  const { alarms, arrived, place, show, moveTo } = useAlarmWindow();
  const frame = useRef<HTMLElement>(null);
  const drag = useDrag(frame, place, moveTo);
  const { data: attention } = useQuery(attentionQuery);
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
        <WindowHead />
      </header>
      <Worst />
      <div className="alarm-window-list">
        {alarms.length === 0 ? <p className="alarm-window-empty">{text('alarms.window.empty')}</p> : null}
        {alarms.map((alarm) => (
          <WindowEntry key={alarm.id} alarm={alarm} canAcknowledge={canAcknowledge} />
        ))}
      </div>
      <footer className="alarm-window-foot">
        <span>{text('alarms.window.summary', { attention: attention?.total ?? 0, arrived })}</span>
        <Link className="end" to="/alarm/current">
          {text('alarms.window.show-all')}
        </Link>
      </footer>
    </section>
  );
}

const SOUND_LABEL = {
  on: 'alarms.window.mute',
  muted: 'alarms.window.unmute',
  blocked: 'alarms.window.blocked',
} as const;

function SoundButton() {
  const { text } = useViewer();
  const { muted, mute } = useAlarmWindow();
  const blocked = useSoundBlocked();
  const sound = muted ? 'muted' : blocked ? 'blocked' : 'on';
  const label = text(SOUND_LABEL[sound]);
  // True if the current press enables blocked sound. The click of the same press must not mute it.
  const frees = useRef(false);
  const press = () => {
    frees.current = sound === 'blocked';
  };
  return (
    <Button
      variant="quiet"
      icon
      className={sound === 'blocked' ? 'alarm-window-blocked' : undefined}
      aria-pressed={muted}
      aria-label={label}
      title={label}
      onPointerDownCapture={press}
      onKeyDownCapture={press}
      onClick={() => {
        if (!frees.current) mute(!muted);
        frees.current = false;
      }}
    >
      <Icon name={sound === 'on' ? 'sound' : 'muted'} />
    </Button>
  );
}

function WindowHead() {
  const { text } = useViewer();
  const { alarms, arrived, clear, show } = useAlarmWindow();
  const worst = alarms.slice(0, arrived).reduce((level, alarm) => Math.max(level, alarm.level), 1);
  return (
    <>
      <button type="button" className="alarm-window-grip" title={text('alarms.window.move')}>
        <Icon name="alarms" />
        {text('alarms.window.title')}
      </button>
      {arrived > 0 ? (
        <span className={`count level-${worst}`} title={text('alarms.window.arrived', { count: arrived })}>
          {arrived > BADGE_MOST ? `${BADGE_MOST}+` : arrived}
        </span>
      ) : null}
      <span className="end alarm-window-tools">
        <SoundButton />
        <Button variant="quiet" size="small" disabled={alarms.length === 0} onClick={clear}>
          {text('alarms.window.clear')}
        </Button>
        <Button variant="quiet" icon aria-label={text('common.action.close')} onClick={() => show(false)}>
          <Icon name="close" />
        </Button>
      </span>
    </>
  );
}

/** The worst unacknowledged alarm, whatever its age (ui.md). */
function Worst() {
  const { text } = useViewer();
  const { data } = useQuery(worstUnacknowledgedQuery);
  const worst = data?.items[0];
  if (!worst) return null;
  return (
    <Link className={`alarm-window-worst level-${worst.level}`} to={alarmPath(worst)}>
      <LevelGlyph level={worst.level} mode={worst.state === 'ended' ? 'ended' : 'solid'} />
      <span className="ellipsis">
        {text('alarms.window.worst', { asset: worst.assetName, fault: alarmFault(worst, text) })}
      </span>
    </Link>
  );
}

function WindowEntry({ alarm, canAcknowledge }: { alarm: Alarm; canAcknowledge: boolean }) {
  const { text, time } = useViewer();
  const [acknowledging, setAcknowledging] = useState(false);
  const value = valueText(alarm, alarm.peakValue ?? alarm.value, text);
  const ended = alarm.state === 'ended';
  return (
    <article className={`alarm-entry level-${alarm.level}${ended ? ' alarm-entry-ended' : ''}`}>
      <LevelGlyph level={alarm.level} mode={ended ? 'ended' : 'solid'} />
      <Link className="strong ellipsis alarm-entry-name" to={alarmPath(alarm)}>
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
        <span className="tertiary">{entryFacts(alarm, text).join(' · ')}</span>
      </div>
      {!acknowledging || alarm.acknowledgement ? (
        <div className="alarm-entry-actions">
          {canAcknowledge && !alarm.acknowledgement ? (
            <Button size="small" onClick={() => setAcknowledging(true)}>
              <Icon name="check" />
              {text('alarms.acknowledge')}
            </Button>
          ) : null}
          <AssetLink
            isButton
            className={buttonClass({ variant: 'quiet', size: 'small' })}
            assetId={alarm.assetId}
            to={curveQuery(alarm)}
          >
            <Icon name="curve" />
            {text('alarms.curve')}
          </AssetLink>
        </div>
      ) : (
        <div className="alarm-entry-form">
          <AcknowledgeForm alarm={alarm} onDone={() => setAcknowledging(false)} />
        </div>
      )}
    </article>
  );
}

function entryFacts(alarm: Alarm, text: Text): string[] {
  const facts = [limitText(alarm, text)];
  if (alarm.acknowledgement) facts.push(text('alarms.acknowledged-by', { name: alarm.acknowledgement.by }));
  if (alarm.state === 'ended')
    facts.push(text(alarm.acknowledgement ? 'alarms.state.ended' : 'alarms.state.ended-unacknowledged'));
  return facts;
}
