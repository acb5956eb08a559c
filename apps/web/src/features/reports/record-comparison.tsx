import type { getRecordReport, RecordRow } from '@isotherm/contracts/reports';
import type { ResponseOf } from '@isotherm/contracts/route';
import { INDICATORS } from '@isotherm/domain/readings/indicator';
import Select from 'antd/es/select';
import type { Dayjs } from 'dayjs';
import { EN_RULE, fixed, withUnit } from '../../shared/format/number.ts';
import { useViewer } from '../../shared/format/viewer.tsx';
import { DatePicker, fromWallClock, pickerFormats, toWallClock } from '../../shared/ui/date-picker.tsx';
import { TableFrame } from '../../shared/ui/table-frame.tsx';
import { PERIOD_BEFORE } from './compare-range.ts';
import type { RecordRange } from './reports.queries.ts';

type Report = ResponseOf<typeof getRecordReport>;

/** Chooses the earlier period; `value` is null, `before`, or its beginning. */
export function CompareField({
  value,
  earlier,
  onChange,
}: {
  value: string | null;
  /** The present earlier period, from which a chosen start begins. */
  earlier: RecordRange | null;
  onChange: (value: string | null) => void;
}) {
  const { text, zone, language } = useViewer();
  const mode = value === null ? 'none' : value === PERIOD_BEFORE ? PERIOD_BEFORE : 'start';
  return (
    <>
      <Select
        aria-label={text('reports.compare.label')}
        className="report-compare"
        value={mode}
        options={[
          { value: 'none', label: text('reports.compare.none') },
          { value: PERIOD_BEFORE, label: text('reports.compare.before') },
          { value: 'start', label: text('reports.compare.start') },
        ]}
        onChange={(next) =>
          onChange(next === 'none' ? null : next === 'start' ? (earlier?.from ?? value) : next)
        }
      />
      {mode === 'start' && earlier ? (
        <DatePicker
          aria-label={text('reports.compare.start-at')}
          showTime={{ format: 'HH:mm' }}
          format={pickerFormats('date-time', language)}
          allowClear={false}
          value={toWallClock(earlier.from, zone)}
          onChange={(picked: Dayjs | null) =>
            picked && onChange(new Date(fromWallClock(picked, zone)).toISOString())
          }
        />
      ) : null}
    </>
  );
}

/** Two lines for each channel: the earlier period and that of the report. */
export function RecordComparison({ report, earlier }: { report: Report; earlier: Report }) {
  const { text, time } = useViewer();
  const ofChannel = new Map(earlier.rows.map((row) => [row.channelId, row]));
  const period = ({ from, to }: Report) => `${time(from, 'day-time')} ${EN_RULE} ${time(to, 'day-time')}`;
  return (
    <section className="panel" aria-label={text('reports.compare')}>
      <h2 className="report-section">{text('reports.compare')}</h2>
      <TableFrame label={text('reports.compare')}>
        <thead>
          <tr>
            <th>{text('reports.column.channel')}</th>
            <th>{text('reports.compare.period')}</th>
            <th className="number">{text('reports.column.lowest')}</th>
            <th className="number">{text('reports.column.highest')}</th>
            <th className="number">{text('reports.column.mean')}</th>
            <th className="number">{text('reports.column.mkt')}</th>
            <th className="number">{text('reports.column.inside')}</th>
          </tr>
        </thead>
        <tbody>
          {report.rows.flatMap((row) => {
            const before = ofChannel.get(row.channelId);
            return [
              ...(before
                ? [<Line key={`${row.channelId} earlier`} row={before} period={period(earlier)} isEarlier />]
                : []),
              <Line key={row.channelId} row={row} period={period(report)} isEarlier={false} />,
            ];
          })}
        </tbody>
      </TableFrame>
    </section>
  );
}

function Line({ row, period, isEarlier }: { row: RecordRow; period: string; isEarlier: boolean }) {
  const { indicator, inside } = row;
  const { unit, precision } = INDICATORS[indicator];
  const extreme = (value: number | null) => (value === null ? EN_RULE : withUnit(indicator, value));
  const mean = (value: number | null) =>
    value === null ? EN_RULE : `${fixed(value, precision + 1)} ${unit}`.trim();
  const cells = [
    extreme(row.min),
    extreme(row.max),
    mean(row.mean),
    mean(row.meanKinetic),
    inside === null ? EN_RULE : `${fixed(100 * inside, 2)} %`,
  ];
  return (
    <tr className={isEarlier ? 'report-earlier' : undefined}>
      <td>
        {row.asset} · {row.channel}
      </td>
      <td>{period}</td>
      {cells.map((cell, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the columns never move.
        <td key={index} className="number">
          <bdi dir="ltr">{cell}</bdi>
        </td>
      ))}
    </tr>
  );
}
