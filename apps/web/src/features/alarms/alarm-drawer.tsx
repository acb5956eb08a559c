import './alarms.css';
import type { Alarm } from '@isotherm/contracts/alarms';
import { END_WORDS } from '@isotherm/i18n/alarm-words';
import { useQuery } from '@tanstack/react-query';
import Drawer from 'antd/es/drawer';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { formatSetting } from '../../shared/format/duration.ts';
import { levelLabel } from '../../shared/format/labels.ts';
import { EN_RULE } from '../../shared/format/number.ts';
import { Lasting, useViewer } from '../../shared/format/viewer.tsx';
import { buttonClass } from '../../shared/ui/button.tsx';
import { Icon } from '../../shared/ui/icon.tsx';
import { LevelGlyph } from '../../shared/ui/level-glyph.tsx';
import { FailureNotice } from '../../shared/ui/notice.tsx';
import { AcknowledgeForm } from './acknowledge-form.tsx';
import { AcknowledgementFacts } from './acknowledgement-facts.tsx';
import { AlarmTrips } from './alarm-trips.tsx';
import { alarmFault, alarmPath, bareLimitText, stateText, subjectText, valueText } from './alarm-words.ts';
import { alarmQuery } from './alarms.queries.ts';
import { HeldTag } from './suppressions/held-tag.tsx';

/**
 * Drawer with the facts of one alarm: fault, asset, times and acknowledgement, and the form to acknowledge
 * it.
 */
export function AlarmDrawer({
  alarmId,
  canAcknowledge,
  pictures,
  onClose,
}: {
  alarmId: number | null;
  canAcknowledge: boolean;
  /** Snapshots of cameras at the time of the alarm. */
  pictures?: ReactNode;
  onClose: () => void;
}) {
  const { text } = useViewer();
  const { data, error, refetch } = useQuery({ ...alarmQuery(alarmId ?? 0), enabled: alarmId !== null });
  return (
    <Drawer
      open={alarmId !== null}
      onClose={onClose}
      size={480}
      styles={{ body: { padding: '16px 20px' } }}
      title={data?.assetName ?? text('alarms.detail')}
      extra={
        data ? (
          <Link className={buttonClass()} to={alarmPath(data)}>
            <Icon name="right" />
            {text('alarms.open-page')}
          </Link>
        ) : null
      }
    >
      {data ? <AlarmFacts alarm={data} canAcknowledge={canAcknowledge} /> : null}
      {data ? pictures : null}
      {!data && error ? <FailureNotice error={error} retry={() => void refetch()} /> : null}
      {!data && !error ? <div className="skeleton skeleton-body" /> : null}
    </Drawer>
  );
}

function AlarmFacts({ alarm, canAcknowledge }: { alarm: Alarm; canAcknowledge: boolean }) {
  const { text, time, zone } = useViewer();
  const over = alarm.state === 'ended';
  const grave = alarm.level >= 4 && !over;
  const strip = ['alarm-drawer-strip', `level-${alarm.level}`];
  if (grave) strip.push('alarm-drawer-grave');
  if (over) strip.push('alarm-drawer-over');
  const value = valueText(alarm, alarm.value, text);
  const peak = valueText(alarm, alarm.peakValue, text);
  return (
    <>
      <div className={strip.join(' ')}>
        <LevelGlyph level={alarm.level} mode={grave ? 'inverse' : 'solid'} />
        {levelLabel(alarm.level, text)} · {alarmFault(alarm, text)}
        <span className="end">{stateText(alarm, text)}</span>
      </div>
      {alarm.suppression ? (
        <p className="suppression-line">
          <HeldTag alarm={alarm} />
        </p>
      ) : null}
      <dl className="alarm-facts">
        <Fact label={text('alarms.column.place')}>
          {[alarm.place, alarm.organizationName].filter(Boolean).join(' · ') || EN_RULE}
        </Fact>
        {alarm.trips ? (
          <Fact label={text('alarms.trips')}>
            <AlarmTrips trips={alarm.trips} />
          </Fact>
        ) : null}
        <Fact label={text('alarms.column.duration')}>
          <Lasting since={alarm.since} until={alarm.endedAt} />
        </Fact>
        <Fact label={text('alarms.column.since')}>{time(alarm.since, 'date-time-seconds')}</Fact>
        <Fact label={text('alarms.fact.raised')}>{time(alarm.raisedAt, 'date-time-seconds')}</Fact>
        <Fact label={text('alarms.fact.value')}>
          <bdi dir="ltr">{value ?? EN_RULE}</bdi>
        </Fact>
        <Fact label={text('alarms.fact.limit')}>{bareLimitText(alarm, text) || EN_RULE}</Fact>
        {peak ? (
          <Fact label={text('alarms.fact.peak')}>
            <bdi dir="ltr">{peak}</bdi>
            {alarm.peakAt ? <span className="tertiary"> · {time(alarm.peakAt, 'time')}</span> : null}
          </Fact>
        ) : null}
        <Fact label={text('alarms.fact.trigger')}>{formatSetting(alarm.triggerAfterMs, text)}</Fact>
        {alarm.defrostDelayMs === null ? null : (
          <Fact label={text('alarms.fact.defrost')}>{formatSetting(alarm.defrostDelayMs, text)}</Fact>
        )}
        <Fact label={text('alarms.fact.channel')}>
          {alarm.subject === 'device'
            ? subjectText(alarm, text)
            : `${alarm.channelName} · ${alarm.deviceNumber}`}
        </Fact>
        {alarm.endedAt ? (
          <Fact label={text('alarms.fact.ended')}>
            {time(alarm.endedAt, 'date-time-seconds')}
            {alarm.endReason ? <span className="tertiary"> · {text(END_WORDS[alarm.endReason])}</span> : null}
          </Fact>
        ) : null}
        {alarm.late ? <Fact label={text('alarms.fact.late')}>{text('alarms.late')}</Fact> : null}
      </dl>
      <p className="alarm-zone small tertiary">{text('common.times-in', { zone })}</p>
      <h3 className="alarm-section">{text('alarms.acknowledgement')}</h3>
      {alarm.acknowledgement ? (
        <AcknowledgementFacts said={alarm.acknowledgement} />
      ) : canAcknowledge ? (
        <AcknowledgeForm alarm={alarm} />
      ) : (
        <p className="secondary">{text('alarms.nobody')}</p>
      )}
    </>
  );
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}
