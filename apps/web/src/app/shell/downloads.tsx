import './downloads.css';
import { JOB_FILE_DAYS, type Job } from '@isotherm/contracts/jobs';
import { useQuery } from '@tanstack/react-query';
import Drawer from 'antd/es/drawer';
import { useEffect } from 'react';
import { sizeText } from '../../shared/format/size.ts';
import { useViewer } from '../../shared/format/viewer.tsx';
import { useText } from '../../shared/i18n/use-text.ts';
import { isOpen, jobsQuery, useDownloads, useJobChanges } from '../../shared/jobs/jobs.queries.ts';
import { Button } from '../../shared/ui/button.tsx';
import { FocusReturn } from '../../shared/ui/focus-return.tsx';
import { Icon } from '../../shared/ui/icon.tsx';
import { FailureNotice, Notice } from '../../shared/ui/notice.tsx';
import { useStored } from '../../shared/ui/stored.ts';

const BADGE_MOST = 99;
const SEEN_KEY = 'isotherm.downloads.seen';
const isTime = (value: unknown): value is string => typeof value === 'string';

/** Jobs that ended after the drawer was last open. */
const isNew = ({ endedAt, state }: Job, seen: string) =>
  endedAt !== null && endedAt > seen && state !== 'cancelled';

/** Button in the navigation bar with the number of jobs in progress and of new files. */
export function DownloadsButton() {
  const { text } = useText();
  const show = useDownloads((state) => state.show);
  const { data } = useQuery(jobsQuery);
  const [seen] = useStored(SEEN_KEY, '', isTime);
  const items = data?.items ?? [];
  const count = items.filter((job) => isOpen(job) || isNew(job, seen)).length;
  return (
    <Button
      variant="quiet"
      className="small bell"
      aria-label={count > 0 ? `${text('jobs.title')}: ${text('jobs.unseen', { count })}` : text('jobs.title')}
      title={text('jobs.title')}
      onClick={() => show(true)}
    >
      <Icon name="download" />
      {count > 0 ? (
        <span className="count" title={text('jobs.unseen', { count })}>
          {count > BADGE_MOST ? `${BADGE_MOST}+` : count}
        </span>
      ) : null}
    </Button>
  );
}

/** Drawer with the user's own exports and reports, their progress and files. */
export function Downloads() {
  const open = useDownloads((state) => state.open);
  return open ? <DownloadsDrawer /> : null;
}

function DownloadsDrawer() {
  const { text } = useText();
  const show = useDownloads((state) => state.show);
  const { data, error, refetch } = useQuery({ ...jobsQuery, staleTime: 0 });
  const [seen, setSeen] = useStored(SEEN_KEY, '', isTime);
  const items = data?.items ?? [];
  const newest = items.reduce((latest, { endedAt }) => (endedAt && endedAt > latest ? endedAt : latest), '');
  useEffect(() => {
    if (newest > seen) setSeen(newest);
  }, [newest, seen, setSeen]);
  return (
    <>
      <FocusReturn />
      <Drawer
        open
        size={460}
        closable={{ placement: 'end' }}
        title={text('jobs.title')}
        onClose={() => show(false)}
      >
        {error && !data ? (
          <FailureNotice error={error} retry={() => void refetch()} />
        ) : !data ? (
          <div className="skeleton skeleton-body" />
        ) : items.length === 0 ? (
          <Notice icon="download" title={text('jobs.empty.title')}>
            {text('jobs.empty.reason')}
          </Notice>
        ) : (
          <>
            <p className="downloads-note">{text('jobs.purpose', { days: JOB_FILE_DAYS })}</p>
            <ul aria-label={text('jobs.title')}>
              {items.map((job) => (
                <Download key={job.id} job={job} />
              ))}
            </ul>
          </>
        )}
      </Drawer>
    </>
  );
}

function Download({ job }: { job: Job }) {
  const { text, time } = useViewer();
  const changes = useJobChanges();
  const { kind, subject, state, fileName, bytes, expiresAt, error } = job;
  const kindName = text(`jobs.kind.${kind}`);
  const percent = Math.floor(job.progress * 100);
  return (
    <li className="download">
      <div className="download-head">
        <span className="download-subject">{subject || kindName}</span>
        <span className="tag" role="status">
          {job.isCancelling ? text('jobs.cancelling') : text(`jobs.state.${state}`)}
        </span>
      </div>
      <div className="download-facts">
        {kindName}
        {' · '}
        {text('jobs.ordered', { time: time(job.orderedAt, 'day-time') })}
      </div>
      {state === 'running' ? (
        <>
          <div
            className="download-bar"
            role="progressbar"
            aria-label={`${kindName} ${subject}`}
            aria-valuemin={0}
            aria-valuemax={100}
            aria-valuenow={percent}
          >
            <span style={{ width: `${percent}%` }} />
          </div>
          <span className="download-facts number">{percent} %</span>
        </>
      ) : null}
      {state === 'done' && fileName !== null && bytes !== null && expiresAt !== null ? (
        <div className="download-facts">
          {fileName} · <span className="number">{sizeText(bytes)}</span>
          <br />
          {text('jobs.available-until', { time: time(expiresAt, 'day-time') })}
        </div>
      ) : null}
      {error ? <div className="download-facts download-fault">{error}</div> : null}
      <div className="download-actions">
        {isOpen(job) ? (
          <Button
            size="small"
            disabled={job.isCancelling || changes.isPending}
            onClick={() => void changes.cancel(job)}
          >
            <Icon name="close" />
            {text('common.action.cancel')}
          </Button>
        ) : (
          <>
            {state === 'done' ? (
              <Button
                size="small"
                variant="primary"
                disabled={changes.isPending}
                onClick={() => void changes.save(job)}
              >
                <Icon name="download" />
                {text('common.action.download')}
              </Button>
            ) : (
              <Button size="small" disabled={changes.isPending} onClick={() => void changes.retry(job)}>
                {text('jobs.order-again')}
              </Button>
            )}
            <Button
              size="small"
              variant="quiet"
              disabled={changes.isPending}
              onClick={() => void changes.remove(job)}
            >
              {text('jobs.delete')}
            </Button>
          </>
        )}
      </div>
    </li>
  );
}
