import './alarm-page.css';
import type { Alarm, getAlarmCourse } from '@isotherm/contracts/alarms';
import type { ResponseOf } from '@isotherm/contracts/route';
import { ALARM_CATALOGUE, isFailure, isOfRule, isUpper } from '@isotherm/domain/alarms/catalogue';
import { formatDuration } from '@isotherm/i18n/figures';
import { useQuery } from '@tanstack/react-query';
import Select from 'antd/es/select';
import { type ReactNode, useState } from 'react';
import { Link } from 'react-router';
import { usePermission } from '../../shared/access/permissions.ts';
import { AssetLink } from '../../shared/assets/asset-link.tsx';
import { levelLabel } from '../../shared/format/labels.ts';
import { EN_RULE, withUnit } from '../../shared/format/number.ts';
import { Lasting, useViewer } from '../../shared/format/viewer.tsx';
import { useCrumbTitle } from '../../shared/tabs/use-crumb-title.ts';
import { Button, buttonClass } from '../../shared/ui/button.tsx';
import { ConfirmWithReason } from '../../shared/ui/confirm-dialog.tsx';
import { isTab, KeyFrame } from '../../shared/ui/form/key-frame.tsx';
import { useSettled } from '../../shared/ui/form/use-settled.ts';
import { Icon } from '../../shared/ui/icon.tsx';
import { LevelGlyph } from '../../shared/ui/level-glyph.tsx';
import { FailureNotice } from '../../shared/ui/notice.tsx';
import { PageSkeleton } from '../../shared/ui/page-skeleton.tsx';
import { toast } from '../../shared/ui/toast.tsx';
import { Acknowledgement } from './acknowledgement.tsx';
import { deliveryOf, levelSpans, levelsOf } from './alarm-course.ts';
import { AlarmSignatures } from './alarm-signatures.tsx';
import { AlarmTimeline } from './alarm-timeline.tsx';
import { AlarmTrips } from './alarm-trips.tsx';
import { alarmFault, bareLimitText, curveQuery, subjectText, valueText } from './alarm-words.ts';
import {
  alarmQuery,
  assigneesQuery,
  courseQuery,
  moveTargetsQuery,
  useAlarmActions,
} from './alarms.queries.ts';
import { OpenLinks } from './links/open-links.tsx';
import { MoveTargets } from './move-targets.tsx';
import { appliesWords } from './policies/policy-words.ts';
import { HeldTag } from './suppressions/held-tag.tsx';

const WHOLE_DAY_MS = 86_400_000;

export type AlarmSpan = ReturnType<typeof levelSpans>[number];

/** Page of one alarm: its timeline, its chart, and the actions of people on it. */
export function AlarmPage({
  id,
  chart,
  pictures,
}: {
  id: number;
  /** Chart of the alarm, with the time range of each level. */
  chart: (alarm: Alarm, levels: readonly AlarmSpan[]) => ReactNode;
  /** Snapshots of cameras at the time of the alarm. */
  pictures: ReactNode;
}) {
  const { text } = useViewer();
  const { data: alarm, error, refetch } = useQuery(alarmQuery(id));
  const { data: course } = useQuery(courseQuery(id));
  const mayAct = usePermission('alarm-current:acknowledge');
  useCrumbTitle(alarm ? `${text('alarms.page.title', { id })} · ${alarm.assetName}` : undefined);
  if (!alarm) return error ? <FailureNotice error={error} retry={() => void refetch()} /> : <PageSkeleton />;
  const steps = course?.steps ?? [];
  const messages = course?.messages ?? [];
  const told = messages.filter(
    ({ kind, state, held }) => kind === 'raised' && state !== 'cancelled' && !held,
  );
  const firstTold = told[0]?.deliveredAt ?? told[0]?.dueAt ?? null;
  return (
    <div className="page alarm-page">
      <Head alarm={alarm}>
        <Facts
          alarm={alarm}
          levels={levelsOf(steps)}
          firstTold={firstTold}
          policy={course ? course.policy : null}
          mayAct={mayAct}
        />
      </Head>
      {course && alarm.endedAt === null ? <WhatToDo alarm={alarm} instruction={course.instruction} /> : null}
      <div className="alarm-columns">
        <AlarmTimeline
          alarm={alarm}
          steps={steps}
          messages={messages}
          signatures={course?.signatures ?? []}
          mayComment={mayAct}
        />
        <div className="alarm-side">
          {course ? chart(alarm, levelSpans(alarm, steps, Number.POSITIVE_INFINITY)) : null}
          <Acknowledgement alarm={alarm} mayAct={mayAct} hasEarlier={steps.some(isAcknowledgement)} />
          <AlarmSignatures signatures={course?.signatures ?? []} />
          {mayAct ? <OpenLinks alarm={alarm} /> : null}
          {messages.length > 0 ? <Delivery {...deliveryOf(messages)} /> : null}
          {pictures}
        </div>
      </div>
    </div>
  );
}

const isAcknowledgement = ({ type }: { type: string }) => type === 'acknowledged';

function Head({ alarm, children }: { alarm: Alarm; children: ReactNode }) {
  const { text, time, zone } = useViewer();
  const isOpen = alarm.endedAt === null;
  const value = valueText(alarm, alarm.peakValue ?? alarm.value, text);
  return (
    <section className={`panel alarm-head level-${alarm.peakLevel}${isOpen ? ' alarm-head-open' : ''}`}>
      {isOpen ? (
        <div className="alarm-head-strip">
          <LevelGlyph level={alarm.level} mode="inverse" />
          {levelLabel(alarm.level, text)} · {alarmFault(alarm, text)} ·{' '}
          <Lasting since={alarm.since} until={null} />
          <span className="end">
            {alarm.acknowledgement
              ? text('alarms.acknowledged-by', { name: alarm.acknowledgement.by })
              : text('alarms.nobody')}
          </span>
        </div>
      ) : null}
      <div className="alarm-head-body">
        {isOpen ? null : <LevelGlyph level={alarm.peakLevel} size={24} />}
        <div className="alarm-head-names">
          <h1>
            {text('alarms.page.headline.open', { asset: alarm.assetName, fault: alarmFault(alarm, text) })}
            {isOpen ? null : <span className="tag">{text('alarms.state.ended')}</span>}
            {isOpen ? null : (
              <span className="tag">
                {text(alarm.acknowledgement ? 'alarms.state.acknowledged' : 'alarms.nobody')}
              </span>
            )}
            {alarm.fixed ? <span className="tag">{text('alarms.fixed')}</span> : null}
            {alarm.late ? <span className="tag">{text('alarms.fact.late')}</span> : null}
            <HeldTag alarm={alarm} />
          </h1>
          <p className="tertiary">
            {[
              text('alarms.page.title', { id: alarm.id }),
              alarm.place || alarm.organizationName,
              subjectText(alarm, text),
              time(alarm.since, 'date'),
              text('common.times-in', { zone }),
            ].join(' · ')}
          </p>
        </div>
        {value ? (
          <div className="alarm-head-value">
            <bdi dir="ltr" className="number">
              {value}
            </bdi>
            <span className="small">{deviation(alarm, text)}</span>
          </div>
        ) : null}
        <Actions alarm={alarm} />
      </div>
      {children}
    </section>
  );
}

function deviation(alarm: Alarm, text: ReturnType<typeof useViewer>['text']): string {
  const { peakValue, limitValue, indicator, kind } = alarm;
  if (peakValue === null || limitValue === null) return '';
  return text(isUpper(kind) ? 'alarms.deviation.above' : 'alarms.deviation.below', {
    amount: withUnit(indicator, Math.abs(peakValue - limitValue)),
    limit: withUnit(indicator, limitValue),
  });
}

function Actions({ alarm }: { alarm: Alarm }) {
  const { text } = useViewer();
  const mayAct = usePermission('alarm-current:acknowledge');
  const mayEnd = usePermission('alarm-current:end');
  const actions = useAlarmActions(alarm);
  const [isEnding, setEnding] = useState(false);
  const [isFixing, setFixing] = useState(false);
  async function fix() {
    setFixing(true);
    try {
      await actions.fix();
      toast('success', text('alarms.fix.done'));
    } catch (error) {
      toast('failure', error instanceof Error ? error.message : text('common.failure.unknown'));
    } finally {
      setFixing(false);
    }
  }
  return (
    <div className="alarm-head-tools">
      <AssetLink isButton className={buttonClass()} assetId={alarm.assetId} to={curveQuery(alarm)}>
        <Icon name="curve" />
        {text('alarms.curve')}
      </AssetLink>
      {mayAct && alarm.fixed === null ? (
        <Button disabled={isFixing} onClick={() => void fix()}>
          <Icon name="check" />
          {text('alarms.fix')}
        </Button>
      ) : null}
      {mayEnd && alarm.endedAt === null && alarm.kind !== 'clock' ? (
        <Button onClick={() => setEnding(true)}>{text('alarms.end')}</Button>
      ) : null}
      <Button onClick={() => window.print()}>
        <Icon name="print" />
        {text('alarms.page.print')}
      </Button>
      {isEnding ? (
        <ConfirmWithReason
          weight="reason"
          grave
          reasonLabel={text('alarms.end.reason')}
          title={text('alarms.end.title')}
          confirmLabel={text('alarms.end')}
          onConfirm={actions.end}
          onClose={() => setEnding(false)}
        >
          {text('alarms.end.help')}
        </ConfirmWithReason>
      ) : null}
    </div>
  );
}

/** What the policy says people are to do, and assets to which the goods can be moved. */
function WhatToDo({ alarm, instruction }: { alarm: Alarm; instruction: string }) {
  const { text } = useViewer();
  const seesBackups = usePermission('report-backup:view');
  const { data: targets = [] } = useQuery({
    ...moveTargetsQuery(alarm.id),
    enabled: alarm.assetId > 0 && isOfRule(alarm.kind),
  });
  const isOfBackup = isFailure(alarm.kind) && seesBackups;
  if (instruction === '' && targets.length === 0 && !isOfBackup) return null;
  return (
    <section className="panel alarm-instruction" aria-label={text('alarms.instruction')}>
      <h2>{text('alarms.instruction')}</h2>
      {instruction === '' ? null : <p>{instruction}</p>}
      {isOfBackup ? (
        <p>
          {text('alarms.backup.help')} <Link to="/report/backup">{text('menu.report-backup')}</Link>
        </p>
      ) : null}
      <MoveTargets targets={targets} />
    </section>
  );
}

function Facts({
  alarm,
  levels,
  firstTold,
  policy,
  mayAct,
}: {
  alarm: Alarm;
  levels: readonly Alarm['level'][];
  firstTold: string | null;
  policy: ResponseOf<typeof getAlarmCourse>['policy'];
  mayAct: boolean;
}) {
  const { text, time } = useViewer();
  const seesPolicies = usePermission('alarm-policies:view');
  const peak = valueText(alarm, alarm.peakValue, text);
  const end = alarm.endedAt === null ? null : Date.parse(alarm.endedAt);
  const isLong = (end ?? Date.now()) - Date.parse(alarm.since) > WHOLE_DAY_MS;
  const shape = isLong ? 'day-time' : 'time';
  const after = (moment: string) =>
    text('alarms.page.after', {
      time: time(moment, Date.parse(moment) - Date.parse(alarm.raisedAt) > WHOLE_DAY_MS ? 'day-time' : shape),
      duration: formatDuration(Math.max(0, Date.parse(moment) - Date.parse(alarm.raisedAt)), text),
    });
  return (
    <dl className="alarm-summary">
      <Fact label={text('alarms.page.levels')}>
        <span className="alarm-levels">
          {(levels.length > 0 ? levels : [alarm.level]).map((level, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: levels never change their order.
            <span key={index}>
              {index > 0 ? <Icon name="right" small /> : null}
              <LevelGlyph level={level} />
            </span>
          ))}
        </span>
      </Fact>
      <Fact label={text(ALARM_CATALOGUE[alarm.kind].hasLimit ? 'alarms.page.outside' : 'alarms.page.period')}>
        {alarm.endedAt === null
          ? text('alarms.page.span.open', { from: time(alarm.since, shape) })
          : text('alarms.page.span', { from: time(alarm.since, shape), to: time(alarm.endedAt, shape) })}
      </Fact>
      <Fact label={text('alarms.page.lasting')}>
        <Lasting since={alarm.since} until={alarm.endedAt} />
      </Fact>
      {peak && alarm.peakAt ? (
        <Fact label={text('alarms.fact.peak')}>
          {text('alarms.page.peak-at', { value: peak, time: time(alarm.peakAt, shape) })}
        </Fact>
      ) : null}
      {isOfRule(alarm.kind) ? (
        <Fact label={text('alarms.fact.limit')}>{bareLimitText(alarm, text) || EN_RULE}</Fact>
      ) : null}
      {alarm.trips ? (
        <Fact label={text('alarms.trips')}>
          <AlarmTrips trips={alarm.trips} />
        </Fact>
      ) : null}
      <Fact label={text('alarms.page.first-notified')}>
        {firstTold ? after(firstTold) : text('alarms.page.nobody-notified')}
      </Fact>
      <Fact label={text('alarms.state.acknowledged')}>
        {alarm.acknowledgement ? after(alarm.acknowledgement.at) : text('alarms.nobody')}
      </Fact>
      <Fact label={text('alarms.fixed')}>
        {alarm.fixed
          ? text('alarms.fixed-by', { name: alarm.fixed.by, time: time(alarm.fixed.at, 'day-time') })
          : text('alarms.not-fixed')}
      </Fact>
      {isOfRule(alarm.kind) ? (
        <Fact label={text('alarms.page.policy')}>
          {policy && seesPolicies ? (
            <Link to={`/alarm/policies/${policy.id}`}>{policy.name}</Link>
          ) : (
            (policy?.name ?? text('alarms.page.no-policy'))
          )}
          {policy && (policy.leg || policy.fence) ? (
            <span className="small secondary alarm-applies">{appliesWords(policy, text)}</span>
          ) : null}
        </Fact>
      ) : null}
      <Fact label={text('alarms.assignee')}>
        {mayAct ? <AssigneeField alarm={alarm} /> : (alarm.assignee?.name ?? text('alarms.assign.nobody'))}
      </Fact>
    </dl>
  );
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd className="number">{children}</dd>
    </div>
  );
}

function AssigneeField({ alarm }: { alarm: Alarm }) {
  const { text } = useViewer();
  const actions = useAlarmActions(alarm);
  const [search, setSearch] = useState('');
  const [isOpen, setOpen] = useState(false);
  const settled = useSettled(search);
  const { data } = useQuery({ ...assigneesQuery(alarm.id, settled), enabled: isOpen });
  const { assignee } = alarm;
  const known = data ?? [];
  const options = [
    ...(assignee && known.every(({ id }) => id !== assignee.id)
      ? [{ value: assignee.id, label: assignee.name }]
      : []),
    ...known.map(({ id, name }) => ({ value: id, label: name })),
  ];
  async function assign(accountId: number | null) {
    try {
      const { assignee: chosen } = await actions.assign(accountId);
      toast(
        'success',
        chosen ? text('alarms.assign.done', { name: chosen.name }) : text('alarms.assign.cleared'),
      );
    } catch {
      // The API client has already shown the error as a message.
    }
  }
  return (
    <KeyFrame take={isTab}>
      <Select<number>
        className="alarm-assignee"
        size="small"
        variant="filled"
        showSearch={{ filterOption: false, onSearch: setSearch }}
        allowClear
        placeholder={text('alarms.assign.nobody')}
        aria-label={text('alarms.assignee')}
        value={assignee?.id}
        options={options}
        popupMatchSelectWidth={220}
        onOpenChange={setOpen}
        onChange={(id) => void assign(id ?? null)}
      />
    </KeyFrame>
  );
}

function Delivery({ sent, waiting, failed }: ReturnType<typeof deliveryOf>) {
  const { text } = useViewer();
  return (
    <section className="panel alarm-panel alarm-panel-body" aria-label={text('alarms.page.delivery')}>
      <header className="alarm-panel-head">
        <h2>{text('alarms.page.delivery')}</h2>
      </header>
      <dl className="alarm-delivery">
        {Object.entries({ sent, waiting, failed }).map(([key, count]) => (
          <div key={key} className={key === 'failed' && count > 0 ? 'alarm-message-failed' : undefined}>
            <dd className="number">{count}</dd>
            <dt className="small secondary">
              {text(`alarms.page.delivery.${key as keyof ReturnType<typeof deliveryOf>}`)}
            </dt>
          </div>
        ))}
      </dl>
    </section>
  );
}
