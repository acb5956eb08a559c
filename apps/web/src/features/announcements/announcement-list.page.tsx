import './announcements.css';
import { READER_VIEWS, type ReceivedAnnouncement } from '@isotherm/contracts/announcements';
import { useQuery } from '@tanstack/react-query';
import Pagination from 'antd/es/pagination';
import Select from 'antd/es/select';
import { useNavigate } from 'react-router';
import { usePagePermission } from '../../shared/access/permissions.ts';
import { AttachmentCount } from '../../shared/attachments/attachments.tsx';
import { useViewer } from '../../shared/format/viewer.tsx';
import { Button } from '../../shared/ui/button.tsx';
import { FilterBox } from '../../shared/ui/filter-box.tsx';
import { Icon } from '../../shared/ui/icon.tsx';
import { AccessNotice, FailureNotice, Notice } from '../../shared/ui/notice.tsx';
import { PageHead } from '../../shared/ui/page-head.tsx';
import { PermissionButton } from '../../shared/ui/permission-button.tsx';
import { toast } from '../../shared/ui/toast.tsx';
import { useNarrow } from '../../shared/ui/use-narrow.ts';
import { oneOf, useUrlState } from '../../shared/ui/use-url-state.ts';
import { inboxQuery, useMarks } from './announcements.queries.ts';
import { ReceivedPanel } from './received-panel.tsx';

const PAGE_SIZE = 20;

/** Announcements for the user: a list, and the one that is open. */
export default function AnnouncementListPage() {
  const { text } = useViewer();
  const [params, change] = useUrlState();
  const narrow = useNarrow();
  const navigate = useNavigate();
  const access = usePagePermission('announcement-list:view');
  const { markAll } = useMarks();
  const view = oneOf(READER_VIEWS, params.get('view')) ?? 'all';
  const page = Math.max(1, Number(params.get('page')) || 1);
  const search = params.get('q') ?? '';
  const category = Number(params.get('category')) || null;
  const open = Number(params.get('announcement')) || null;
  const { data, error, refetch } = useQuery({
    ...inboxQuery({
      page: String(page),
      pageSize: String(PAGE_SIZE),
      search,
      view,
      ...(category ? { categoryId: String(category) } : {}),
    }),
    enabled: access.state === 'held',
  });
  const unread = data?.counts.unread ?? 0;
  const isNarrowed = search !== '' || category !== null || view === 'pinned';
  const clear = () => change({ q: null, category: null, view: null, page: null });

  async function readAll() {
    // The API client shows failures.
    const done = await markAll().then(
      () => true,
      () => false,
    );
    if (done) toast('success', text('announcements.read-all.done'));
  }

  const list = (
    <section className="panel announcement-inbox">
      <div className="announcement-bar">
        <fieldset className="announcement-views" aria-label={text('announcements.views')}>
          {READER_VIEWS.map((each) => (
            <Button
              key={each}
              variant="quiet"
              size="small"
              aria-pressed={view === each}
              onClick={() => change({ view: each === 'all' ? null : each, page: null })}
            >
              {text(`announcements.view.${each}`)}
              {data ? <span className="small tertiary number">{data.counts[each]}</span> : null}
            </Button>
          ))}
        </fieldset>
        {data && data.categories.length > 0 ? (
          <Select
            aria-label={text('announcements.category')}
            value={category ?? 0}
            popupMatchSelectWidth={false}
            onChange={(next) => change({ category: next === 0 ? null : next, page: null })}
            options={[
              { value: 0, label: text('announcements.category.any') },
              ...data.categories.map(({ id, name }) => ({ value: id, label: name })),
            ]}
          />
        ) : null}
      </div>
      {error && !data ? <FailureNotice error={error} retry={() => void refetch()} /> : null}
      {!data && !error ? <div className="skeleton announcement-waiting" /> : null}
      {data?.items.length === 0 ? (
        isNarrowed ? (
          <Notice
            icon="search"
            title={text('common.list.no-result')}
            action={<Button onClick={clear}>{text('common.action.clear-filters')}</Button>}
          />
        ) : (
          <Notice
            icon="announcements"
            title={text(view === 'unread' ? 'announcements.none-unread' : 'announcements.none')}
          >
            {view === 'unread' ? null : text('announcements.none.reason')}
          </Notice>
        )
      ) : null}
      {data && data.items.length > 0 ? (
        <ul className="announcement-entries">
          {data.items.map((each) => (
            <li key={each.id}>
              <Entry
                announcement={each}
                isOpen={each.id === open}
                onOpen={() => change({ announcement: each.id }, 'push')}
              />
            </li>
          ))}
        </ul>
      ) : null}
      {data && data.total > PAGE_SIZE ? (
        <div className="announcement-pages">
          <Pagination
            size="small"
            simple
            current={page}
            pageSize={PAGE_SIZE}
            total={data.total}
            onChange={(next) => change({ page: next === 1 ? null : next })}
          />
        </div>
      ) : null}
    </section>
  );

  return (
    <div className="page announcement-page">
      <PageHead
        title={text('menu.announcement-list')}
        {...(unread > 0 ? { purpose: text('announcements.unread', { count: unread }) } : {})}
      >
        <FilterBox
          className="announcement-search"
          value={search}
          placeholder={text('announcements.search')}
          onChange={(q) => change({ q, page: null })}
        />
        <Button disabled={unread === 0} onClick={() => void readAll()}>
          {text('announcements.read-all')}
        </Button>
        <PermissionButton
          permission="announcement-manage:edit"
          variant="primary"
          onClick={() => navigate('/announcement/manage?new=1')}
        >
          <Icon name="plus" />
          {text('announcements.create')}
        </PermissionButton>
      </PageHead>
      {access.state === 'denied' || access.state === 'failed' ? (
        <section className="panel">
          <AccessNotice access={access} />
        </section>
      ) : (
        <div className="announcement-split">
          {narrow && open !== null ? (
            <Button
              variant="quiet"
              className="announcement-back"
              onClick={() => change({ announcement: null })}
            >
              <Icon name="left" />
              {text('announcements.back')}
            </Button>
          ) : (
            list
          )}
          {open !== null ? (
            <ReceivedPanel key={open} id={open} />
          ) : narrow ? null : (
            <section className="panel announcement-none">
              <p className="secondary">{text('announcements.choose')}</p>
            </section>
          )}
        </div>
      )}
    </div>
  );
}

function Entry({
  announcement,
  isOpen,
  onOpen,
}: {
  announcement: ReceivedAnnouncement;
  isOpen: boolean;
  onOpen: () => void;
}) {
  const { text, time } = useViewer();
  const { title, summary, categoryName, organizationName, publishedAt, pinnedUntil, isRead, files } =
    announcement;
  return (
    <button
      type="button"
      className="announcement-entry"
      aria-current={isOpen ? 'true' : undefined}
      onClick={onOpen}
    >
      <span className="announcement-mark">
        {isRead ? null : <span className="visually-hidden">{text('announcements.new')}</span>}
        {isRead ? null : <i className="announcement-dot" />}
      </span>
      <span className="announcement-said">
        <span className="row">
          <span className={isRead ? 'ellipsis grow' : 'ellipsis grow strong'}>{title}</span>
          {pinnedUntil ? <Icon name="pin" /> : null}
        </span>
        <span className="secondary ellipsis">{summary}</span>
        <span className="row small tertiary">
          <span className="ellipsis">
            {categoryName ? `${categoryName} · ` : ''}
            {organizationName}
          </span>
          <AttachmentCount files={files} />
          <time className="end number" dateTime={publishedAt}>
            {time(publishedAt, 'day-time')}
          </time>
        </span>
      </span>
    </button>
  );
}
