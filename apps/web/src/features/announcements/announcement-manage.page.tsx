import './announcements.css';
import { type Announcement, exportAnnouncements, listAnnouncements } from '@isotherm/contracts/announcements';
import { ANNOUNCEMENT_STATES, mayDo } from '@isotherm/domain/announcements/announcement';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useOrganizations } from '../../shared/access/organizations.ts';
import { AttachmentCount } from '../../shared/attachments/attachments.tsx';
import { EN_RULE } from '../../shared/format/number.ts';
import { useViewer, type Viewer } from '../../shared/format/viewer.tsx';
import { ConfirmDialog, ConfirmWithReason } from '../../shared/ui/confirm-dialog.tsx';
import { pagesOf } from '../../shared/ui/list/list-source.ts';
import type { ListColumn, ListFilter } from '../../shared/ui/list/list-types.ts';
import { organizationFilter } from '../../shared/ui/list/organization-filter.tsx';
import { RecordList } from '../../shared/ui/list/record-list.tsx';
import { toast } from '../../shared/ui/toast.tsx';
import { AnnouncementDrawer } from './announcement-drawer.tsx';
import { AnnouncementForm } from './announcement-form.tsx';
import {
  choicesQuery,
  loadAnnouncement,
  MANAGED_KEY,
  useAnnouncementChanges,
} from './announcements.queries.ts';

const source = pagesOf(listAnnouncements);

function columnsFor({ text, time }: Viewer): ListColumn<Announcement>[] {
  return [
    {
      key: 'title',
      title: text('announcements.subject'),
      sortable: true,
      pinned: true,
      maxWidth: 360,
      render: ({ title, files }) => (
        <span className="row">
          <span className="ellipsis">{title}</span>
          <AttachmentCount files={files} />
        </span>
      ),
    },
    {
      key: 'state',
      title: text('announcements.state'),
      render: ({ state }) => (
        <span className={state === 'published' ? '' : 'secondary'}>
          {text(`announcements.state.${state}`)}
        </span>
      ),
    },
    {
      key: 'publishedAt',
      title: text('announcements.published'),
      sortable: true,
      firstOrder: 'desc',
      render: ({ state, publishedAt, dueAt }) =>
        publishedAt ? (
          <span className="number">{time(publishedAt, 'date-time')}</span>
        ) : state === 'scheduled' && dueAt ? (
          <span className="secondary number">
            {text('announcements.due', { time: time(dueAt, 'date-time') })}
          </span>
        ) : (
          EN_RULE
        ),
    },
    {
      key: 'category',
      title: text('announcements.category'),
      maxWidth: 180,
      render: ({ categoryName }) => categoryName ?? EN_RULE,
    },
    {
      key: 'audience',
      title: text('announcements.audience'),
      maxWidth: 220,
      render: ({ groupName }) => groupName ?? text('announcements.everybody'),
    },
    {
      key: 'readers',
      title: text('announcements.readers'),
      render: ({ state, readers }) =>
        state === 'published' || state === 'recalled' ? <span className="number">{readers}</span> : EN_RULE,
    },
    {
      key: 'organization',
      title: text('announcements.organization'),
      maxWidth: 220,
      render: ({ organizationName }) => <span className="secondary">{organizationName}</span>,
    },
    {
      key: 'changedAt',
      title: text('announcements.changed'),
      sortable: true,
      firstOrder: 'desc',
      render: ({ changedAt, changedBy }) => (
        <span className="secondary">{`${time(changedAt, 'date-time')} · ${changedBy}`}</span>
      ),
    },
  ];
}

/** Announcements that the user writes, publishes and recalls. */
export default function AnnouncementManagePage() {
  const viewer = useViewer();
  const { text } = viewer;
  const organizations = useOrganizations();
  const changes = useAnnouncementChanges();
  const { data: choices } = useQuery(choicesQuery);
  const [asked, setAsked] = useState<{ action: 'publish' | 'recall'; announcement: Announcement } | null>(
    null,
  );
  const columns = useMemo(() => columnsFor(viewer), [viewer]);
  const filters = useMemo<ListFilter[]>(
    () => [
      {
        keys: ['state'],
        label: text('announcements.state'),
        options: ANNOUNCEMENT_STATES.map((value) => ({ value, label: text(`announcements.state.${value}`) })),
      },
      {
        keys: ['categoryId'],
        label: text('announcements.category'),
        options: (choices?.categories ?? []).map(({ id, name }) => ({ value: String(id), label: name })),
      },
      organizationFilter(text, organizations),
    ],
    [text, organizations, choices],
  );
  async function cancel({ id }: Announcement) {
    try {
      await changes.cancel(id);
      toast('success', text('announcements.cancelled'));
    } catch (error) {
      toast('failure', (error as Error).message);
    }
  }
  const ask = (action: 'publish' | 'recall') => (announcement: Announcement) =>
    setAsked({ action, announcement });
  return (
    <>
      <RecordList
        name="announcements"
        title={text('menu.announcement-manage')}
        purpose={text('announcements.purpose')}
        permission="announcement-manage:edit"
        param="announcement"
        source={source}
        queryKey={MANAGED_KEY}
        load={loadAnnouncement}
        columns={columns}
        filters={filters}
        nameOf={({ title }) => title}
        searchLabel={text('announcements.search')}
        defaultSort={{ sort: 'changedAt', order: 'desc' }}
        exporting={exportAnnouncements}
        words={{
          create: text('announcements.create'),
          edit: text('announcements.edit'),
          remove: text('announcements.delete'),
        }}
        empty={{ title: text('announcements.empty'), reason: text('announcements.empty-reason') }}
        isFixed={({ state }) => !mayDo(state, 'edit')}
        moreRowActions={(each) => [
          ...(mayDo(each.state, 'publish')
            ? [{ key: 'publish', label: text('announcements.publish'), onClick: () => ask('publish')(each) }]
            : []),
          ...(mayDo(each.state, 'cancel')
            ? [{ key: 'cancel', label: text('announcements.cancel'), onClick: () => void cancel(each) }]
            : []),
          ...(mayDo(each.state, 'recall')
            ? [
                {
                  key: 'recall',
                  danger: true,
                  label: text('announcements.recall'),
                  onClick: () => ask('recall')(each),
                },
              ]
            : []),
        ]}
        form={(each, close) => <AnnouncementForm announcement={each} onClose={close} />}
        viewFirst
        view={(each, close, edit) => (
          <AnnouncementDrawer
            announcement={each}
            onEdit={edit}
            onPublish={() => ask('publish')(each)}
            onCancel={() => void cancel(each)}
            onRecall={() => ask('recall')(each)}
            onClose={close}
          />
        )}
        removal={{
          title: (name) => text('announcements.delete.title', { name }),
          means: () => text('announcements.delete.means'),
          done: (name) => text('announcements.deleted', { name }),
          run: ({ id }, reason) => changes.remove(id, reason),
        }}
      />
      {asked?.action === 'publish' ? (
        <Publish announcement={asked.announcement} onClose={() => setAsked(null)} />
      ) : null}
      {asked?.action === 'recall' ? (
        <ConfirmWithReason
          weight="reason"
          grave
          title={text('announcements.recall.title', { name: asked.announcement.title })}
          confirmLabel={text('announcements.recall')}
          onConfirm={async (reason) => {
            await changes.recall(asked.announcement.id, reason);
            toast('success', text('announcements.recalled.done'));
          }}
          onClose={() => setAsked(null)}
        >
          {text('announcements.recall.means')}
        </ConfirmWithReason>
      ) : null}
    </>
  );
}

/** Asks before an announcement is published: says who can read it, and when. */
function Publish({ announcement, onClose }: { announcement: Announcement; onClose: () => void }) {
  const { text, time } = useViewer();
  const changes = useAnnouncementChanges();
  const { id, title, sendType, dueAt, groupName, organizationName: organization } = announcement;
  const audience = groupName ?? text('announcements.everybody');
  async function publish() {
    const { state } = await changes.publish(id);
    onClose();
    toast(
      'success',
      text(state === 'published' ? 'announcements.published.done' : 'announcements.scheduled.done'),
    );
  }
  return (
    <ConfirmDialog
      title={text('announcements.publish.title', { name: title })}
      confirmLabel={text('announcements.publish')}
      onConfirm={publish}
      onClose={onClose}
    >
      {sendType === 'scheduled' && dueAt
        ? text('announcements.publish.means-later', {
            audience,
            organization,
            time: time(dueAt, 'date-time'),
          })
        : text('announcements.publish.means', { audience, organization })}
    </ConfirmDialog>
  );
}
