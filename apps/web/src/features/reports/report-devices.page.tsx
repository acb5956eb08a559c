import {
  DEVICE_REPORT_SORTS,
  MAX_TABLE_REPORT_DAYS,
  orderDeviceReport,
  REPORT_PAGE_ROWS,
  type ReportedDevice,
} from '@isotherm/contracts/table-reports';
import { shareWords } from '@isotherm/i18n/figures';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { usePermission } from '../../shared/access/permissions.ts';
import { AssetLink } from '../../shared/assets/asset-link.tsx';
import { EN_RULE, integer } from '../../shared/format/number.ts';
import { useViewer } from '../../shared/format/viewer.tsx';
import { useOrder } from '../../shared/jobs/jobs.queries.ts';
import { Notice } from '../../shared/ui/notice.tsx';
import { SortableTable, type TableState, useTableState } from '../../shared/ui/sortable-table.tsx';
import { TableFrame } from '../../shared/ui/table-frame.tsx';
import { AlarmsLink } from './compliance-numbers.tsx';
import { ReportBars } from './report-bars.tsx';
import { ReportFrame, useChosenOrganization } from './report-frame.tsx';
import { useReportPeriod } from './report-period.ts';
import { type DeviceReportView, deviceReportQuery } from './reports.queries.ts';

const USUAL_DAYS = 30;

const shareOf = (part: number, whole: number) =>
  whole > 0 ? shareWords(Math.min(1, part / whole)) : EN_RULE;

/** Devices of an organisation in a range: completeness by day, by site, and of each device. */
export default function ReportDevicesPage() {
  const { text, zone } = useViewer();
  const { order, isPending } = useOrder();
  const period = useReportPeriod(MAX_TABLE_REPORT_DAYS, USUAL_DAYS);
  const about = { ...useChosenOrganization(), zone };
  const state = useTableState('devices', DEVICE_REPORT_SORTS, { sort: 'completeness', order: 'asc' });
  const { sort, order: sortOrder, page } = state;
  const loaded = useQuery(deviceReportQuery({ ...about, sort, order: sortOrder, page }, period.range));
  const { data } = loaded;
  return (
    <ReportFrame
      title={text('menu.report-devices')}
      purpose={text('reports.devices.purpose')}
      exporting="report-devices:export"
      period={period}
      isOrdering={isPending}
      order={(format, range) => void order(orderDeviceReport, { ...range, ...about, format })}
      loaded={loaded}
    >
      {data && data.total === 0 ? (
        <section className="panel">
          <Notice icon="devices" title={text('reports.devices.none')}>
            {text('reports.devices.none.reason')}
          </Notice>
        </section>
      ) : data ? (
        <>
          <Days report={data} />
          <Sites report={data} />
          <Rows report={data} state={state} isTurning={loaded.isPlaceholderData} />
        </>
      ) : null}
    </ReportFrame>
  );
}

function Days({ report: { total, received, due, days, silentDevices } }: { report: DeviceReportView }) {
  const { text, time } = useViewer();
  const seesStats = usePermission('device-stats:view');
  const [first, last] = [days[0], days.at(-1)];
  return (
    <section className="panel" aria-label={text('reports.devices.days')}>
      <p className="report-answer">
        {due === 0
          ? text('reports.devices.uncounted')
          : text('reports.devices.answer', {
              count: total,
              share: shareOf(received, due),
              silent: silentDevices,
            })}
      </p>
      {first && last ? (
        <ReportBars
          label={text('reports.devices.days')}
          most={1}
          from={time(first.day, 'date')}
          to={time(last.day, 'date')}
          bars={days.map((each) => ({
            key: each.day,
            label: text('reports.devices.day-share', {
              day: each.day,
              share: shareOf(each.received, each.due),
            }),
            to: seesStats ? '/device/stats' : null,
            parts: [
              {
                className: 'report-received',
                value: each.due > 0 ? Math.min(1, each.received / each.due) : 0,
              },
            ],
          }))}
        />
      ) : null}
    </section>
  );
}

function Sites({ report: { from, to, sites } }: { report: DeviceReportView }) {
  const { text, language } = useViewer();
  const seesDevices = usePermission('device-list:view');
  return (
    <section className="panel" aria-label={text('reports.compliance.sites')}>
      <h2 className="report-section">{text('reports.compliance.sites')}</h2>
      <TableFrame label={text('reports.compliance.sites')}>
        <thead>
          <tr>
            <th>{text('reports.compliance.site')}</th>
            <th className="number">{text('reports.devices.devices')}</th>
            <th className="number">{text('reports.completeness')}</th>
            <th className="number">{text('reports.devices.silent-days')}</th>
            <th className="number">{text('reports.alarms.alarms')}</th>
          </tr>
        </thead>
        <tbody>
          {sites.map((site) => (
            <tr key={site.organizationId}>
              <td>{site.name}</td>
              <td className="number">
                {seesDevices ? (
                  <Link className="report-asset" to={`/device/list?organizationId=${site.organizationId}`}>
                    {integer(language, site.devices)}
                  </Link>
                ) : (
                  integer(language, site.devices)
                )}
              </td>
              <td className="number">{shareOf(site.received, site.due)}</td>
              <td className="number">{integer(language, site.silentDays)}</td>
              <td className="number">
                <AlarmsLink filter={{ from, to, organizationId: String(site.organizationId) }}>
                  {integer(language, site.alarms)}
                </AlarmsLink>
              </td>
            </tr>
          ))}
        </tbody>
      </TableFrame>
    </section>
  );
}

type RowState = TableState<(typeof DEVICE_REPORT_SORTS)[number]>;

function Rows({
  report: { rows, total },
  state,
  isTurning,
}: {
  report: DeviceReportView;
  state: RowState;
  isTurning: boolean;
}) {
  const { text } = useViewer();
  return (
    <section className="panel" aria-label={text('reports.devices.devices')}>
      <h2 className="report-section">{text('reports.devices.devices')}</h2>
      <SortableTable
        label={text('reports.devices.devices')}
        state={state}
        total={total}
        pageSize={REPORT_PAGE_ROWS}
        isTurning={isTurning}
        heads={[
          { title: text('curve.export.device'), sort: 'name' },
          { title: text('reports.devices.model'), sort: 'model' },
          { title: text('reports.column.asset') },
          { title: text('reports.completeness'), sort: 'completeness', figure: true },
          { title: text('reports.devices.silent-days'), sort: 'silentDays', figure: true },
          { title: text('reports.devices.battery'), sort: 'battery', figure: true },
          { title: text('reports.alarms.alarms'), sort: 'alarms', figure: true },
          { title: text('reports.devices.expires'), sort: 'expiresAt' },
        ]}
      >
        {rows.map((row) => (
          <DeviceLine key={row.id} row={row} />
        ))}
      </SortableTable>
      <p className="report-note">{text('reports.devices.method')}</p>
    </section>
  );
}

function DeviceLine({ row }: { row: ReportedDevice }) {
  const { text, time, language } = useViewer();
  const seesDevices = usePermission('device-list:view');
  const { number, name, model, site, assetId, asset, received, due, silentDays, battery, alarms, expiresAt } =
    row;
  return (
    <tr>
      <td>
        {seesDevices ? (
          <Link className="report-asset" to={`/device/list/${number}`}>
            {name}
          </Link>
        ) : (
          name
        )}
        <span className="report-at">
          {number} · {site}
        </span>
      </td>
      <td>{model || EN_RULE}</td>
      <td>
        {assetId === null ? (
          EN_RULE
        ) : (
          <AssetLink assetId={assetId} className="report-asset">
            {asset}
          </AssetLink>
        )}
      </td>
      <td className="number">
        {shareOf(received, due)}
        {due > 0 ? (
          <span className="report-at">
            {text('reports.compliance.failed-of', { failed: Math.min(received, due), total: due })}
          </span>
        ) : null}
      </td>
      <td className={silentDays > 0 ? 'number report-outside' : 'number'}>{integer(language, silentDays)}</td>
      <td className="number">{battery === null ? EN_RULE : `${integer(language, Math.round(battery))} %`}</td>
      <td className="number">{integer(language, alarms)}</td>
      <td className="number">{expiresAt === null ? EN_RULE : time(expiresAt, 'date')}</td>
    </tr>
  );
}
