import { AGGREGATE_PERIODS, type Aggregates, MAX_AGGREGATE_RANGE_MS } from '@isotherm/contracts/telemetry';
import type { TextId } from '@isotherm/i18n/text-id';
import { useQuery } from '@tanstack/react-query';
import type { TableProps } from 'antd';
import Table from 'antd/es/table';
import { EN_RULE, fixed, withUnit } from '../../shared/format/number.ts';
import { useViewer, type Viewer } from '../../shared/format/viewer.tsx';
import { FailureNotice } from '../../shared/ui/notice.tsx';
import { oneOf, useUrlState } from '../../shared/ui/use-url-state.ts';
import type { CurveChannel } from './channel-picker.tsx';
import { type CurveWindow, lengthOf } from './curve-window.ts';
import { aggregatesQuery, type Period } from './telemetry.queries.ts';

const DAY_MS = 86_400_000;
const ROWS_ON_PAGE = 50;
const PERIOD_LABEL: Record<Period, TextId> = {
  '5-minutes': 'records.period.5-minutes',
  hour: 'records.period.hour',
  day: 'records.period.day',
};

/** Table with minimum, mean, maximum and coverage of each period that has readings, newest first. */
export function RecordsTable({
  channels,
  window,
}: {
  channels: readonly CurveChannel[];
  window: CurveWindow;
}) {
  const viewer = useViewer();
  const { text, zone } = viewer;
  const [params, change] = useUrlState();
  const length = lengthOf(window);
  const period = oneOf(AGGREGATE_PERIODS, params.get('period')) ?? fittingPeriod(length);
  const most = MAX_AGGREGATE_RANGE_MS[period];
  const tooLong = length > most;
  const { data, error, isFetching, refetch } = useQuery({
    ...aggregatesQuery(
      channels.map((channel) => channel.channelId),
      window,
      period,
      zone,
    ),
    enabled: channels.length > 0 && !tooLong,
  });
  return (
    <section className="panel records-table" aria-label={text('records.table')} aria-busy={isFetching}>
      <div className="records-head">
        <h2>{text('records.table')}</h2>
        <fieldset className="segments" aria-label={text('records.period')}>
          {AGGREGATE_PERIODS.map((each) => (
            <button
              key={each}
              type="button"
              aria-pressed={each === period}
              onClick={() => change({ period: each })}
            >
              {text(PERIOD_LABEL[each])}
            </button>
          ))}
        </fieldset>
      </div>
      {tooLong ? (
        <p className="records-note">{text('records.too-long', { days: most / DAY_MS })}</p>
      ) : error && !data ? (
        <FailureNotice error={error} retry={() => void refetch()} />
      ) : (
        <Table<number>
          size="small"
          rowKey={(row) => data?.at[row] ?? row}
          columns={columnsOf(data, channels, period, viewer)}
          dataSource={data ? rowsWithReadings(data) : []}
          loading={!data}
          locale={{ emptyText: text('curve.empty') }}
          pagination={{ pageSize: ROWS_ON_PAGE, showSizeChanger: false, hideOnSinglePage: true }}
          scroll={{ x: 'max-content' }}
        />
      )}
    </section>
  );
}

/** Returns a period that divides the range into about a hundred rows. */
function fittingPeriod(lengthMs: number): Period {
  if (lengthMs <= DAY_MS / 2) return '5-minutes';
  return lengthMs <= 8 * DAY_MS ? 'hour' : 'day';
}

function rowsWithReadings({ at, series }: Aggregates): number[] {
  return [...at.keys()].filter((row) => series.some(({ count }) => count[row] !== 0)).reverse();
}

/** Returns true if one of the channels has estimated times in the period of this row. */
function isEstimated({ at, to, series }: Aggregates, row: number): boolean {
  const [from, until] = [at[row] ?? to, at[row + 1] ?? to];
  return series.some(({ estimated }) =>
    estimated.some(
      (span) => Date.parse(span.from) < until && (span.until === null || Date.parse(span.until) > from),
    ),
  );
}

function columnsOf(
  data: Aggregates | undefined,
  channels: readonly CurveChannel[],
  period: Period,
  { text, time }: Viewer,
): NonNullable<TableProps<number>['columns']> {
  const number = (shown: string | null) => <bdi dir="ltr">{shown ?? EN_RULE}</bdi>;
  const begin = period === 'day' ? 'day' : 'date-time';
  return [
    {
      key: 'at',
      title: text(PERIOD_LABEL[period]),
      fixed: 'start',
      render: (_, row) => (
        <>
          {time(data?.at[row] ?? 0, begin)}
          {data && isEstimated(data, row) ? (
            <span className="tag">{text('curve.estimated.label')}</span>
          ) : null}
        </>
      ),
    },
    ...(data?.series ?? []).map((series) => {
      const value = (column: readonly (number | null)[]) => (_: unknown, row: number) => {
        const own = column[row] ?? null;
        return number(own === null ? null : withUnit(series.indicator, own));
      };
      return {
        key: String(series.channelId),
        title: channels.find(({ channelId }) => channelId === series.channelId)?.name ?? series.name,
        children: [
          { key: 'min', title: text('curve.lowest'), align: 'end' as const, render: value(series.min) },
          { key: 'mean', title: text('curve.mean'), align: 'end' as const, render: value(series.mean) },
          { key: 'max', title: text('curve.highest'), align: 'end' as const, render: value(series.max) },
          {
            key: 'coverage',
            title: text('records.coverage'),
            align: 'end' as const,
            render: (_: unknown, row: number) => {
              const share = series.coverage[row] ?? null;
              return number(share === null ? null : `${fixed(share, 0)} %`);
            },
          },
        ],
      };
    }),
  ];
}
