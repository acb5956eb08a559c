import { type OnCallScheduleView, scheduleOf } from '@isotherm/contracts/on-call';
import { coverOf } from '@isotherm/domain/alarms/on-call';
import { personKey } from '@isotherm/domain/alarms/person';
import { formatDuration } from '@isotherm/i18n/figures';
import { useQuery } from '@tanstack/react-query';
import Select from 'antd/es/select';
import { useMemo, useState } from 'react';
import { useTicking } from '../../../shared/format/now.ts';
import { formatTime } from '../../../shared/format/time.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { zoneName } from '../../../shared/format/zones.ts';
import { Button } from '../../../shared/ui/button.tsx';
import { ConfirmWithReason } from '../../../shared/ui/confirm-dialog.tsx';
import { isTab, KeyFrame } from '../../../shared/ui/form/key-frame.tsx';
import { Icon } from '../../../shared/ui/icon.tsx';
import { FailureNotice, Notice } from '../../../shared/ui/notice.tsx';
import { PageHead } from '../../../shared/ui/page-head.tsx';
import { PermissionButton } from '../../../shared/ui/permission-button.tsx';
import { toast } from '../../../shared/ui/toast.tsx';
import { oneOf, useUrlState } from '../../../shared/ui/use-url-state.ts';
import { personName } from '../people-field.tsx';
import { weeksOf } from './calendar-weeks.ts';
import { onCallQuery, useChangeRemoval, useOnCallChanges } from './on-call.queries.ts';
import { OnCallCalendar } from './on-call-calendar.tsx';
import { ChangeForm, ScheduleForm } from './on-call-forms.tsx';

const EDIT = 'alarm-on-call:edit';
const FORMS = ['edit', 'override', 'leave'] as const;
const WEEKS = 4;
const MINUTE_MS = 60_000;
/** How far ahead the next handover is looked for; longer than the longest turn. */
const AHEAD_MS = 100 * 86_400_000;

/** Page with the on-call schedules: the calendar of the next weeks, who is on call now, and gaps of cover. */
export default function OnCallPage() {
  const { text } = useViewer();
  const [params, change] = useUrlState();
  const { data, error, refetch } = useQuery(onCallQuery);
  const shown = data?.find(({ id }) => id === Number(params.get('schedule'))) ?? data?.[0];
  const add = (
    <PermissionButton permission={EDIT} variant="primary" onClick={() => change({ new: 1 }, 'push')}>
      <Icon name="plus" />
      {text('on-call.create')}
    </PermissionButton>
  );
  return (
    <div className="page oncall-page">
      <PageHead title={text('menu.alarm-on-call')} purpose={text('on-call.purpose')}>
        {data && data.length > 0 ? add : null}
      </PageHead>
      {error && !data ? <FailureNotice error={error} retry={() => void refetch()} /> : null}
      {!data && !error ? <div className="skeleton skeleton-body" /> : null}
      {data?.length === 0 ? (
        <section className="panel">
          <Notice icon="alarms" title={text('on-call.empty')} action={add}>
            {text('on-call.empty-reason')}
          </Notice>
        </section>
      ) : null}
      {data && shown ? (
        <>
          {data.length > 1 ? (
            <KeyFrame take={isTab}>
              <Select<number>
                className="form-select oncall-choice"
                aria-label={text('on-call.schedule')}
                value={shown.id}
                options={data.map(({ id, name, organizationName }) => ({
                  value: id,
                  label: `${name} · ${organizationName}`,
                }))}
                onChange={(id) => change({ schedule: id }, 'push')}
              />
            </KeyFrame>
          ) : null}
          <Schedule key={shown.id} schedule={shown} />
        </>
      ) : null}
      {params.get('new') ? (
        <ScheduleForm
          schedule={undefined}
          onClose={() => change({ new: null })}
          onSaved={(id) => change({ new: null, schedule: id })}
        />
      ) : null}
    </div>
  );
}

function Schedule({ schedule }: { schedule: OnCallScheduleView }) {
  const { text, language } = useViewer();
  const [params, change] = useUrlState();
  const changes = useOnCallChanges();
  const [doomed, setDoomed] = useState(false);
  const now = useTicking((at) => Math.floor(at / MINUTE_MS) * MINUTE_MS);
  const offset = Math.trunc(Number(params.get('weeks'))) || 0;
  const zone = schedule.timeZone;
  const form = oneOf(FORMS, params.get('form'));
  const people = useMemo(() => peopleOf(schedule), [schedule]);
  const weeks = useMemo(() => weeksOf(now, zone, WEEKS, offset), [now, zone, offset]);
  const [from = now, until = now] = [weeks[0]?.[0], weeks.at(-1)?.at(-1)];
  const cover = useMemo(() => coverOf(scheduleOf(schedule), from, until), [schedule, from, until]);
  const gaps = cover.filter((span) => span.person === null && span.until > now);
  const close = () => change({ form: null, from: null, until: null });
  const [spanFrom, spanUntil] = [params.get('from'), params.get('until')];
  const [gap] = gaps;
  const move = (by: number) => change({ weeks: offset + by === 0 ? null : offset + by });
  return (
    <>
      <div className="oncall-head">
        <h2>{schedule.name}</h2>
        <span className="secondary">{`${schedule.organizationName} · ${zoneName(zone)}`}</span>
        <div className="oncall-tools">
          <Button icon aria-label={text('on-call.week.previous')} onClick={() => move(-WEEKS)}>
            <Icon name="left" />
          </Button>
          <Button disabled={offset === 0} onClick={() => change({ weeks: null })}>
            {text('on-call.week.today')}
          </Button>
          <Button icon aria-label={text('on-call.week.next')} onClick={() => move(WEEKS)}>
            <Icon name="right" />
          </Button>
          <PermissionButton permission={EDIT} onClick={() => change({ form: 'leave' }, 'push')}>
            {text('on-call.leave.add')}
          </PermissionButton>
          <PermissionButton permission={EDIT} onClick={() => change({ form: 'override' }, 'push')}>
            {text('on-call.override.add')}
          </PermissionButton>
          <PermissionButton permission={EDIT} onClick={() => change({ form: 'edit' }, 'push')}>
            {text('on-call.edit')}
          </PermissionButton>
          <PermissionButton
            permission={EDIT}
            variant="quiet"
            icon
            aria-label={text('on-call.delete')}
            onClick={() => setDoomed(true)}
          >
            <Icon name="bin" />
          </PermissionButton>
        </div>
      </div>
      {gap ? (
        <section className="oncall-warning">
          <div className="oncall-warning-words">
            <div>
              <div className="strong">
                {text('on-call.gap', {
                  duration: formatDuration(gap.until - gap.from, text),
                  from: formatTime(gap.from, 'day-time', language, zone),
                  until: formatTime(gap.until, 'day-time', language, zone),
                })}
              </div>
              <div className="small secondary">
                {text('on-call.gap.means')}{' '}
                {gaps.length > 1 ? text('on-call.gap.more', { count: gaps.length - 1 }) : ''}
              </div>
            </div>
            <PermissionButton
              permission={EDIT}
              variant="primary"
              onClick={() =>
                change(
                  {
                    form: 'override',
                    from: new Date(Math.max(gap.from, now)).toISOString(),
                    until: new Date(gap.until).toISOString(),
                  },
                  'push',
                )
              }
            >
              {text('on-call.assign')}
            </PermissionButton>
          </div>
        </section>
      ) : null}
      <section className="panel">
        <OnCallCalendar weeks={weeks} cover={cover} people={people} zone={zone} now={now} />
      </section>
      <div className="oncall-tiles">
        <NowTile schedule={schedule} now={now} />
        <section className="panel oncall-tile">
          <h2>{text('on-call.weeks')}</h2>
          <ul>
            {weeks.map((days) => {
              const [start = 0, end = 0] = [days[0], days.at(-1)];
              const open = cover
                .filter(({ person }) => person === null)
                .reduce(
                  (sum, span) => sum + Math.max(0, Math.min(span.until, end) - Math.max(span.from, start)),
                  0,
                );
              return (
                <li key={start} className="oncall-line">
                  <span>
                    {`${formatTime(start, 'day', language, zone)} – ${formatTime(end - 1, 'day', language, zone)}`}
                  </span>
                  {open > 0 ? (
                    <span className="number strong">{formatDuration(open, text)}</span>
                  ) : (
                    <span className="tertiary">{text('on-call.covered')}</span>
                  )}
                </li>
              );
            })}
          </ul>
        </section>
        <ChangesTile schedule={schedule} now={now} />
      </div>
      {form === 'edit' ? <ScheduleForm schedule={schedule} onClose={close} onSaved={close} /> : null}
      {form === 'override' || form === 'leave' ? (
        <ChangeForm
          schedule={schedule}
          kind={form}
          span={spanFrom && spanUntil ? { from: spanFrom, until: spanUntil } : null}
          onClose={close}
        />
      ) : null}
      {doomed ? (
        <ConfirmWithReason
          weight="reason"
          grave
          title={text('on-call.delete.title', { name: schedule.name })}
          confirmLabel={text('on-call.delete')}
          onConfirm={async (reason) => {
            await changes.remove(schedule.id, reason);
            toast('success', text('on-call.deleted', { name: schedule.name }));
          }}
          onClose={() => setDoomed(false)}
        >
          {text('on-call.delete.means')}
        </ConfirmWithReason>
      ) : null}
    </>
  );
}

/** Shows who is on call now, until when, and who is next. */
function NowTile({ schedule, now }: { schedule: OnCallScheduleView; now: number }) {
  const { text, language } = useViewer();
  const zone = schedule.timeZone;
  const [current, next] = useMemo(() => coverOf(scheduleOf(schedule), now, now + AHEAD_MS), [schedule, now]);
  const people = peopleOf(schedule);
  const nameOf = (person: { type: 'receivers' | 'accounts'; id: number } | null | undefined) => {
    const found = person && people.find((each) => personKey(each) === personKey(person));
    return found ? personName(found) : text('on-call.nobody');
  };
  const timeOf = (at: number) => formatTime(at, 'day-time', language, zone);
  return (
    <section className="panel oncall-tile">
      <h2>{text('on-call.now')}</h2>
      <ul>
        <li className="oncall-line">
          <span className="strong">{nameOf(current?.person)}</span>
          {current ? (
            <span className="tertiary">{text('on-call.until-time', { time: timeOf(current.until) })}</span>
          ) : null}
        </li>
        {next ? (
          <li className="oncall-line">
            <span className="secondary">
              {text('on-call.next', { name: nameOf(next.person), time: timeOf(next.from) })}
            </span>
          </li>
        ) : null}
      </ul>
    </section>
  );
}

/** Lists overrides and leave that have not ended. */
function ChangesTile({ schedule, now }: { schedule: OnCallScheduleView; now: number }) {
  const { text, language } = useViewer();
  const remove = useChangeRemoval();
  const coming = schedule.changes
    .filter(({ until }) => Date.parse(until) > now)
    .sort((a, b) => Date.parse(a.from) - Date.parse(b.from));
  return (
    <section className="panel oncall-tile">
      <h2>{text('on-call.changes')}</h2>
      {coming.length === 0 ? <p className="tertiary">{text('on-call.changes.none')}</p> : null}
      <ul>
        {coming.map(({ id, kind, person, from, until }) => {
          const [begin, end] = [from, until].map((at) =>
            formatTime(at, 'day-time', language, schedule.timeZone),
          );
          return (
            <li key={id} className="oncall-line">
              <span>
                {`${personName(person)} · ${text(`on-call.${kind}`)}`}
                <span className="small tertiary">{` ${begin} – ${end}`}</span>
              </span>
              <PermissionButton
                permission={EDIT}
                variant="quiet"
                size="small"
                onClick={() =>
                  void remove(schedule.id, id).then(
                    () => toast('success', text('on-call.removed')),
                    () => undefined,
                  )
                }
              >
                {text('on-call.remove')}
              </PermissionButton>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** Everybody who can be on call: the people of the rota, then those of overrides and leave. */
function peopleOf({ people, changes }: OnCallScheduleView) {
  const all = [...people, ...changes.map(({ person }) => person)];
  return [...new Map(all.map((person) => [personKey(person), person])).values()];
}
