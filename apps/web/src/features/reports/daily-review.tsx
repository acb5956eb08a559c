import type { RecordRow } from '@isotherm/contracts/reports';
import { needsReview } from '@isotherm/domain/reports/daily-review';
import { formatDuration } from '@isotherm/i18n/figures';
import { momentWords } from '@isotherm/i18n/moments';
import { useQuery } from '@tanstack/react-query';
import Segmented from 'antd/es/segmented';
import { useMemo, useState } from 'react';
import { usePermission } from '../../shared/access/permissions.ts';
import { serverNow } from '../../shared/api/clock.ts';
import { EN_RULE, fixed, withUnit } from '../../shared/format/number.ts';
import { useViewer } from '../../shared/format/viewer.tsx';
import { labelled, listed } from '../../shared/i18n/phrases.ts';
import { Button } from '../../shared/ui/button.tsx';
import { Icon } from '../../shared/ui/icon.tsx';
import { FailureNotice } from '../../shared/ui/notice.tsx';
import { TableFrame } from '../../shared/ui/table-frame.tsx';
import { oneOf, useUrlState } from '../../shared/ui/use-url-state.ts';
import type { RecordRange } from './reports.queries.ts';
import { ReviewDialog } from './review-dialog.tsx';
import { type ReviewedDay, reviewedDays, reviewsQuery } from './reviews.queries.ts';

const VIEWS = ['open', 'all'] as const;
/** Days that are shown first, and can be reviewed at once. */
const SHOWN_DAYS = 100;

/** The lowest and highest temperature of each day, which a person reviews with initials. */
export function DailyReview({
  assets,
  range,
  rows,
  name,
}: {
  assets: readonly number[];
  range: RecordRange;
  rows: readonly RecordRow[];
  /** Name of the user, from which initials are proposed. */
  name: string;
}) {
  const { text } = useViewer();
  const [params, change] = useUrlState();
  const view = oneOf(VIEWS, params.get('days')) ?? 'open';
  const mayReview = usePermission('report-records:review');
  const { data, error, refetch } = useQuery(reviewsQuery(assets, range));
  const [isShort, setShort] = useState(true);
  const [chosen, setChosen] = useState<readonly ReviewedDay[] | null>(null);
  const all = useMemo(() => (data ? reviewedDays(rows, data.reviews, serverNow()) : []), [rows, data]);
  const open = all.filter(({ state }) => needsReview(state));
  const found = view === 'open' ? open : all;
  const shown = isShort ? found.slice(0, SHOWN_DAYS) : found;
  const signable = shown.filter(({ state }) => needsReview(state));
  if (rows.every(({ days }) => days.length === 0)) return null;
  return (
    <section className="panel" aria-label={text('reports.review')}>
      <div className="report-section report-bar">
        <h2>{text('reports.review')}</h2>
        <span className="report-bar-actions">
          <Segmented
            aria-label={text('reports.review.days')}
            value={view}
            options={VIEWS.map((each) => ({
              value: each,
              label: text(`reports.review.view.${each}`, {
                count: each === 'open' ? open.length : all.length,
              }),
            }))}
            onChange={(next) => change({ days: next === 'open' ? null : next })}
          />
          {mayReview && signable.length > 0 ? (
            <Button variant="primary" onClick={() => setChosen(signable)}>
              <Icon name="check" />
              {text('reports.review.confirm', { count: signable.length })}
            </Button>
          ) : null}
        </span>
      </div>
      {error && !data ? (
        <FailureNotice error={error} retry={() => void refetch()} />
      ) : !data ? (
        <div className="skeleton skeleton-body" />
      ) : found.length === 0 ? (
        <p className="report-note">{text('reports.review.empty')}</p>
      ) : (
        <TableFrame label={text('reports.review')}>
          <thead>
            <tr>
              <th>{text('reports.review.day')}</th>
              <th>{text('reports.column.channel')}</th>
              <th className="number">{text('reports.column.lowest')}</th>
              <th className="number">{text('reports.column.highest')}</th>
              <th className="number">{text('reports.column.outside')}</th>
              <th>{text('reports.review.initials')}</th>
              <th>{text('reports.review.comment')}</th>
              {mayReview ? <th>{text('reports.review.action')}</th> : null}
            </tr>
          </thead>
          <tbody>
            {shown.map((each) => (
              <DayLine
                key={`${each.row.channelId} ${each.day.day}`}
                reviewed={each}
                onReview={mayReview ? () => setChosen([each]) : null}
              />
            ))}
          </tbody>
        </TableFrame>
      )}
      {found.length > shown.length ? (
        <p className="report-note">
          <Button onClick={() => setShort(false)}>
            {text('reports.review.show-all', { count: found.length })}
          </Button>
        </p>
      ) : null}
      <p className="report-note">{text('reports.review.method')}</p>
      {chosen ? <ReviewDialog days={chosen} name={name} onClose={() => setChosen(null)} /> : null}
    </section>
  );
}

function DayLine({
  reviewed: { row, day, reviews, state },
  onReview,
}: {
  reviewed: ReviewedDay;
  onReview: (() => void) | null;
}) {
  const { text, language, zone: own } = useViewer();
  const { indicator, zone } = row;
  const extreme = (value: number | null, at: string | null) => (
    <>
      <bdi dir="ltr">{value === null ? EN_RULE : withUnit(indicator, value)}</bdi>
      {at ? <span className="report-at">{momentWords(at, 'time', language, zone)}</span> : null}
    </>
  );
  const { outsideMs, inside } = day;
  return (
    <tr>
      <td>
        {momentWords(day.from, 'date', language, zone)}
        {zone === own ? null : <span className="report-at">{zone}</span>}
      </td>
      <td>
        {row.asset} · {row.channel}
      </td>
      <td className="number">{extreme(day.min, day.minAt)}</td>
      <td className="number">{extreme(day.max, day.maxAt)}</td>
      <td className={outsideMs ? 'number report-outside' : 'number'}>
        {outsideMs === null ? EN_RULE : formatDuration(outsideMs, text)}
        {outsideMs && inside !== null ? (
          <span className="report-at">{`${fixed(100 * (1 - inside), 2)} %`}</span>
        ) : null}
      </td>
      <td>
        <Initials state={state} reviews={reviews} />
      </td>
      <td className="report-comment">
        {reviews.map(({ at, comment, initials }, index) =>
          index === 0 ? (
            <span key={at} className="report-line">
              {comment || EN_RULE}
            </span>
          ) : (
            <Earlier key={at} initials={initials} at={at} comment={comment} />
          ),
        )}
      </td>
      {onReview ? (
        <td>
          {state === 'running' ? (
            EN_RULE
          ) : (
            <Button onClick={onReview}>
              {text(needsReview(state) ? 'reports.review.action' : 'reports.review.correct')}
              <span className="visually-hidden">{` ${day.day} ${row.asset} · ${row.channel}`}</span>
            </Button>
          )}
        </td>
      ) : null}
    </tr>
  );
}

/** Initials, person and time of the newest review, or why there is none; a change since is marked. */
function Initials({ state, reviews: [review] }: Pick<ReviewedDay, 'state' | 'reviews'>) {
  const { text, time } = useViewer();
  if (!review) return <span className="secondary">{text(`reports.review.state.${state}`)}</span>;
  return (
    <>
      <span className="strong">{review.initials}</span>
      <span className="report-at">{listed(text, [review.by, time(review.at, 'day-time')])}</span>
      {state === 'changed' ? (
        <span className="report-changed">
          <Icon name="info" small />
          {text('reports.review.state.changed')}
        </span>
      ) : null}
    </>
  );
}

function Earlier({ initials, at, comment }: { initials: string; at: string; comment: string }) {
  const { text, time } = useViewer();
  const label = text('reports.review.earlier', { initials, time: time(at, 'day-time') });
  return <span className="report-line">{comment === '' ? label : labelled(text, label, comment)}</span>;
}
