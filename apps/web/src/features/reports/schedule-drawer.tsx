import './reports.css';
import type { ReportRun, ReportSchedule } from '@isotherm/contracts/report-schedules';
import { LANGUAGE_NAMES } from '@isotherm/i18n/languages';
import { useQuery } from '@tanstack/react-query';
import Drawer from 'antd/es/drawer';
import { EN_RULE } from '../../shared/format/number.ts';
import { sizeText } from '../../shared/format/size.ts';
import { useViewer } from '../../shared/format/viewer.tsx';
import { Definitions } from '../../shared/ui/detail-page.tsx';
import { FocusReturn } from '../../shared/ui/focus-return.tsx';
import { FailureNotice } from '../../shared/ui/notice.tsx';
import { PermissionButton } from '../../shared/ui/permission-button.tsx';
import { TableFrame } from '../../shared/ui/table-frame.tsx';
import { assetWords, pauseWords, RUN_STATE_TEXT, whenWords } from './schedule-words.ts';
import { runsQuery } from './schedules.queries.ts';

/** Drawer of a scheduled report: what is sent to whom, and the history. */
export function ScheduleDrawer({
  schedule,
  onEdit,
  onRun,
  onClose,
}: {
  schedule: ReportSchedule;
  onEdit: () => void;
  onRun: () => void;
  onClose: () => void;
}) {
  const viewer = useViewer();
  const { text, time } = viewer;
  const { kind, format, interval, dueAt, recipients, language, owner, organizationName } = schedule;
  const paused = pauseWords(schedule, text);
  return (
    <>
      <FocusReturn />
      <Drawer
        open
        size={1000}
        closable={{ placement: 'end' }}
        title={schedule.name}
        rootClassName="form-drawer"
        onClose={onClose}
        extra={
          <span className="row">
            <PermissionButton permission="report-schedules:edit" onClick={onRun}>
              {text('reports.schedule.run')}
            </PermissionButton>
            <PermissionButton permission="report-schedules:edit" onClick={onEdit}>
              {text('reports.schedule.edit')}
            </PermissionButton>
          </span>
        }
      >
        {paused ? (
          <p className={schedule.pauseReason ? 'report-outside' : 'secondary'} role="status">
            {paused}
          </p>
        ) : null}
        <Definitions
          facts={[
            { label: text('reports.kind'), value: `${text(`jobs.kind.${kind}`)} (${format.toUpperCase()})` },
            { label: text('reports.schedule.assets'), value: assetWords(schedule, text) || organizationName },
            { label: text('reports.schedule.interval'), value: whenWords(schedule, viewer) },
            { label: text('reports.run.period'), value: text(`reports.schedule.period.${interval}`) },
            { label: text('reports.schedule.next'), value: dueAt ? time(dueAt, 'date-time') : EN_RULE },
            { label: text('reports.schedule.recipients'), value: recipients.join(', ') },
            { label: text('reports.schedule.language'), value: LANGUAGE_NAMES[language] },
            { label: text('reports.schedule.owner'), value: owner || EN_RULE },
            { label: text('reports.schedule.organization'), value: organizationName },
          ]}
        />
        <h3 className="report-heading">{text('reports.run.history')}</h3>
        <History id={schedule.id} />
      </Drawer>
    </>
  );
}

function History({ id }: { id: number }) {
  const { text } = useViewer();
  const { data, error, refetch } = useQuery(runsQuery(id));
  if (error && !data) return <FailureNotice error={error} retry={() => void refetch()} />;
  if (!data) return <div className="skeleton skeleton-body" />;
  if (data.items.length === 0) return <p className="secondary">{text('reports.run.empty')}</p>;
  return (
    <TableFrame label={text('reports.run.history')}>
      <thead>
        <tr>
          <th>{text('reports.run.due')}</th>
          <th>{text('reports.run.period')}</th>
          <th>{text('reports.run.result')}</th>
          <th>{text('reports.run.recipients')}</th>
        </tr>
      </thead>
      <tbody>
        {data.items.map((run) => (
          <RunRow key={run.id} run={run} />
        ))}
      </tbody>
    </TableFrame>
  );
}

function RunRow({ run }: { run: ReportRun }) {
  const { text, time } = useViewer();
  const { dueAt, startedBy, from, to, state, fileName, bytes, isLinked, error, deliveries } = run;
  return (
    <tr>
      <td>
        <span className="number">{time(dueAt, 'date-time')}</span>
        {startedBy ? <span className="report-at">{text('reports.run.by', { name: startedBy })}</span> : null}
      </td>
      <td className="number">
        {time(from, 'date-time')} {EN_RULE} {time(to, 'date-time')}
      </td>
      <td>
        <div>
          <span className={state === 'failed' ? 'report-outside' : ''}>{text(RUN_STATE_TEXT[state])}</span>
          {error ? <span className="report-line">{error}</span> : null}
          {fileName && bytes !== null ? (
            <span className="report-line">
              {fileName} · {sizeText(bytes)}
              {isLinked ? ` · ${text('reports.run.linked')}` : ''}
            </span>
          ) : null}
        </div>
      </td>
      <td>
        {deliveries.length === 0 ? EN_RULE : null}
        {deliveries.map((each) => (
          <div key={each.recipient}>
            {each.recipient}:{' '}
            <span className={each.state === 'failed' ? 'report-outside' : 'secondary'}>
              {text(`reports.run.delivery.${each.state}`)}
            </span>
            {each.error ? <span className="report-line">{each.error}</span> : null}
          </div>
        ))}
      </td>
    </tr>
  );
}
