import './alarm-popups.css';
import type { AlarmPopup } from '@isotherm/contracts/alarm-popups';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { Link } from 'react-router';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { Button, buttonClass } from '../../../shared/ui/button.tsx';
import { Icon } from '../../../shared/ui/icon.tsx';
import { LevelGlyph } from '../../../shared/ui/level-glyph.tsx';
import { AcknowledgeForm } from '../acknowledge-form.tsx';
import { playAlarmSound } from '../alarm-sound.ts';
import { useAlarmWindow } from '../alarm-window-store.ts';
import { alarmQuery } from '../alarms.queries.ts';
import { confirmShown, popupsQuery } from './popups.queries.ts';
import { seenOf, subjectOf, usePopups } from './popups-store.ts';

/** Number of popups on the screen; the others are counted until there is room for them. */
const FEW = 3;

function subscribe(listener: () => void): () => void {
  document.addEventListener('visibilitychange', listener);
  return () => document.removeEventListener('visibilitychange', listener);
}

/**
 * Popups of alarms that a policy sends to this account (notification channel *web*). They count as delivered
 * when they are on a visible page. The sound is that of the alarm window and is muted with it.
 */
export function AlarmPopups({ canAcknowledge }: { canAcknowledge: boolean }) {
  const { text } = useViewer();
  const queries = useQueryClient();
  const { data, dataUpdatedAt } = useQuery(popupsQuery);
  const { shown, show, closeAll } = usePopups();
  const isVisible = useSyncExternalStore(subscribe, () => document.visibilityState === 'visible');
  /** Popups for which the sound was played. */
  const heard = useRef(new Set<string>());
  useEffect(() => {
    const fresh = data?.filter((popup) => !heard.current.has(`${popup.id} ${subjectOf(popup)}`)) ?? [];
    for (const popup of fresh) heard.current.add(`${popup.id} ${subjectOf(popup)}`);
    if (fresh.length > 0 && !useAlarmWindow.getState().muted) playAlarmSound();
  }, [data]);
  useEffect(() => {
    if (isVisible && data && data.length > 0) show(data);
  }, [data, isVisible, show]);
  /** The newest popup that was on the screen, by its subject. */
  const seen = useRef(new Map<string, number>());
  // What could not be confirmed is still waiting at the next look, and is confirmed then.
  // biome-ignore lint/correctness/useExhaustiveDependencies: each look at the server is a reason to try again.
  useEffect(() => {
    if (!isVisible || !data) return;
    for (const popup of shown.slice(0, FEW)) seen.current.set(subjectOf(popup), popup.id);
    const confirmed = seenOf(data, seen.current);
    if (confirmed.length > 0) confirmShown(queries, confirmed, data.length).catch(() => undefined);
  }, [data, dataUpdatedAt, isVisible, shown, queries]);
  if (shown.length === 0) return null;
  return (
    <section className="alarm-popups" aria-label={text('alarms.popups')}>
      {shown.slice(0, FEW).map((popup) => (
        <Popup key={`${popup.id} ${subjectOf(popup)}`} popup={popup} canAcknowledge={canAcknowledge} />
      ))}
      {shown.length > 1 ? (
        <div className="alarm-popups-foot">
          {shown.length > FEW ? (
            <Link to="/alarm/current">{text('alarms.popups.more', { count: shown.length - FEW })}</Link>
          ) : null}
          <Button className="end" variant="quiet" size="small" onClick={closeAll}>
            {text('alarms.popups.close-all')}
          </Button>
        </div>
      ) : null}
    </section>
  );
}

function Popup({ popup, canAcknowledge }: { popup: AlarmPopup; canAcknowledge: boolean }) {
  const { text, time } = useViewer();
  const close = usePopups((state) => state.close);
  const [isAcknowledging, setAcknowledging] = useState(false);
  const { alarmId, testId, level, title, message, at, isEnd } = popup;
  const { data: alarm } = useQuery({
    ...alarmQuery(alarmId ?? 0),
    enabled: alarmId !== null && canAcknowledge && !isEnd,
  });
  const mayAcknowledge = alarm !== undefined && alarm.acknowledgement === null;
  return (
    <article className={`alarm-popup level-${level}`} role="alert">
      <LevelGlyph level={level} mode={isEnd ? 'ended' : 'solid'} />
      <div className="alarm-popup-said">
        <p className="strong">{title}</p>
        <p className="secondary">{message}</p>
        <time className="small tertiary number" dateTime={at}>
          {time(at, 'day-time')}
        </time>
        {isAcknowledging && mayAcknowledge ? (
          <AcknowledgeForm alarm={alarm} onDone={() => close(popup)} />
        ) : (
          <div className="alarm-popup-actions">
            <Link
              className={buttonClass({ size: 'small' })}
              to={alarmId === null ? `/alarm/tests?test=${testId}` : `/alarm/${alarmId}`}
              onClick={() => close(popup)}
            >
              {text('alarms.popups.open')}
            </Link>
            {mayAcknowledge ? (
              <Button size="small" variant="primary" onClick={() => setAcknowledging(true)}>
                <Icon name="check" />
                {text('alarms.acknowledge')}
              </Button>
            ) : null}
          </div>
        )}
      </div>
      <Button variant="quiet" icon aria-label={text('common.action.close')} onClick={() => close(popup)}>
        <Icon name="close" />
      </Button>
    </article>
  );
}
