import './alarms.css';
import type { Alarm } from '@isotherm/contracts/alarms';
import { REASON_WORDS } from '@isotherm/i18n/alarm-words';
import { levelLabel } from '../../shared/format/labels.ts';
import { EN_RULE } from '../../shared/format/number.ts';
import { Lasting, type Viewer } from '../../shared/format/viewer.tsx';
import { LevelGlyph } from '../../shared/ui/level-glyph.tsx';
import type { ListColumn } from '../../shared/ui/list/list-types.ts';
import { alarmFault, bareLimitText, stateText, subjectText, valueText } from './alarm-words.ts';

/** Columns of an alarm: level, worst value, times, state and who acknowledged it. */
export function alarmColumns({ text, time }: Viewer): ListColumn<Alarm>[] {
  return [
    {
      key: 'level',
      title: text('alarms.column.level'),
      sortable: true,
      firstOrder: 'desc',
      pinned: true,
      render: (alarm) => (
        <span className="alarm-level">
          <LevelGlyph level={alarm.level} mode={alarm.state === 'ended' ? 'ended' : 'solid'} />
          {levelLabel(alarm.level, text)} · {alarmFault(alarm, text)}
        </span>
      ),
    },
    {
      key: 'value',
      title: text('alarms.column.value'),
      align: 'end',
      render: (alarm) => (
        <bdi dir="ltr">{valueText(alarm, alarm.peakValue ?? alarm.value, text) ?? EN_RULE}</bdi>
      ),
    },
    {
      key: 'since',
      title: text('alarms.column.since'),
      sortable: true,
      firstOrder: 'desc',
      render: (alarm) => time(alarm.since, 'date-time'),
    },
    {
      key: 'duration',
      title: text('alarms.column.duration'),
      align: 'end',
      render: (alarm) => <Lasting since={alarm.since} until={alarm.endedAt} />,
    },
    {
      key: 'state',
      title: text('alarms.column.state'),
      render: (alarm) => (
        <span className={alarm.state === 'ended' ? 'tertiary' : undefined}>{stateText(alarm, text)}</span>
      ),
    },
    {
      key: 'acknowledged',
      title: text('alarms.column.acknowledged'),
      maxWidth: 160,
      render: (alarm) =>
        alarm.acknowledgement ? (
          alarm.acknowledgement.by
        ) : (
          <span className={alarm.state === 'ended' ? 'tertiary' : 'strong'}>{text('alarms.nobody')}</span>
        ),
    },
  ];
}

/**
 * Table columns for alarms of many assets. They also show the asset and where it is. Columns marked `offered`
 * are hidden until the user adds them.
 */
export function alarmListColumns(viewer: Viewer): ListColumn<Alarm>[] {
  const { text, time } = viewer;
  const [level, ...others] = alarmColumns(viewer);
  return [
    ...(level ? [level] : []),
    {
      key: 'asset',
      title: text('alarms.column.asset'),
      sortable: true,
      maxWidth: 240,
      render: (alarm) => (
        <>
          <span className="strong">{alarm.assetName}</span>
          <div className="small tertiary">{subjectText(alarm, text)}</div>
        </>
      ),
    },
    {
      key: 'place',
      title: text('alarms.column.place'),
      maxWidth: 220,
      render: (alarm) => <span className="secondary">{alarm.place || alarm.organizationName}</span>,
    },
    ...others,
    {
      key: 'organization',
      title: text('users.organization'),
      offered: true,
      maxWidth: 220,
      render: (alarm) => <span className="secondary">{alarm.organizationName}</span>,
    },
    {
      key: 'device',
      title: text('alarms.export.device'),
      offered: true,
      render: (alarm) => alarm.deviceNumber,
    },
    {
      key: 'limit',
      title: text('alarms.fact.limit'),
      offered: true,
      render: (alarm) => <bdi dir="ltr">{bareLimitText(alarm, text)}</bdi>,
    },
    {
      key: 'raised',
      title: text('alarms.fact.raised'),
      offered: true,
      render: (alarm) => time(alarm.raisedAt, 'date-time'),
    },
    {
      key: 'ended',
      title: text('alarms.fact.ended'),
      offered: true,
      render: (alarm) => (alarm.endedAt ? time(alarm.endedAt, 'date-time') : EN_RULE),
    },
    {
      key: 'reason',
      title: text('alarms.acknowledge.reason'),
      offered: true,
      render: ({ acknowledgement }) =>
        acknowledgement?.reason ? text(REASON_WORDS[acknowledgement.reason]) : EN_RULE,
    },
    {
      key: 'action',
      title: text('alarms.acknowledge.corrective-action'),
      offered: true,
      maxWidth: 320,
      render: ({ acknowledgement }) => acknowledgement?.correctiveAction || EN_RULE,
    },
    {
      key: 'fixed',
      title: text('alarms.column.fixed'),
      offered: true,
      render: ({ fixed }) => fixed?.by ?? EN_RULE,
    },
    {
      key: 'assignee',
      title: text('alarms.assignee'),
      offered: true,
      maxWidth: 160,
      render: ({ assignee }) => assignee?.name ?? EN_RULE,
    },
  ];
}
