import {
  exportProductProfiles,
  getProductProfileTemplate,
  importProductProfiles,
  listProductProfiles,
  type ProductProfile,
} from '@isotherm/contracts/product-profiles';
import { useMemo } from 'react';
import { useOrganizations } from '../../../shared/access/organizations.ts';
import { celsius, EN_RULE } from '../../../shared/format/number.ts';
import { useViewer, type Viewer } from '../../../shared/format/viewer.tsx';
import { useGo } from '../../../shared/tabs/use-go.ts';
import { pagesOf } from '../../../shared/ui/list/list-source.ts';
import type { ListColumn, ListFilter } from '../../../shared/ui/list/list-types.ts';
import { organizationFilter } from '../../../shared/ui/list/organization-filter.tsx';
import { RecordList } from '../../../shared/ui/list/record-list.tsx';
import { ProfileDrawer } from './profile-drawer.tsx';
import { ProfileForm } from './profile-form.tsx';
import { bandWords, humidityWords, rangeWords } from './profile-words.ts';
import { loadProfile, PROFILES_KEY, useProfileChanges } from './profiles.queries.ts';

const source = pagesOf(listProductProfiles);

function columnsFor({ text, time }: Viewer): ListColumn<ProductProfile>[] {
  return [
    {
      key: 'name',
      title: text('profiles.name'),
      sortable: true,
      pinned: true,
      maxWidth: 280,
      render: ({ name, enabled }) => (
        <>
          {name} {enabled ? null : <span className="tag">{text('profiles.state.disabled')}</span>}
        </>
      ),
    },
    {
      key: 'code',
      title: text('profiles.code'),
      sortable: true,
      render: ({ code }) => <span className="number">{code}</span>,
    },
    {
      key: 'temperature',
      title: text('profiles.temperature'),
      sortable: true,
      render: (profile) => <span className="number">{rangeWords(profile)}</span>,
    },
    {
      key: 'budget',
      title: text('profiles.budget'),
      maxWidth: 280,
      render: ({ budget }) =>
        budget.length === 0 ? EN_RULE : budget.map((band) => bandWords(band, text)).join(' · '),
    },
    {
      key: 'mktLimit',
      title: text('profiles.mkt-limit'),
      render: ({ mktLimit }) => (
        <span className="number">{mktLimit === null ? EN_RULE : celsius(mktLimit)}</span>
      ),
    },
    {
      key: 'humidity',
      title: text('profiles.humidity'),
      offered: true,
      render: (profile) => <span className="number">{humidityWords(profile)}</span>,
    },
    {
      key: 'organization',
      title: text('profiles.organization'),
      sortable: true,
      maxWidth: 220,
      render: ({ organizationName }) => <span className="secondary">{organizationName}</span>,
    },
    {
      key: 'changedAt',
      title: text('profiles.changed'),
      sortable: true,
      firstOrder: 'desc',
      render: ({ changedAt, changedBy }) => (
        <span className="secondary">{`${time(changedAt, 'date-time')} · ${changedBy}`}</span>
      ),
    },
  ];
}

/** List of the products and their limits for storage and transport. */
export default function ProfileList() {
  const viewer = useViewer();
  const { text } = viewer;
  const go = useGo();
  const organizations = useOrganizations();
  const changes = useProfileChanges();
  const columns = useMemo(() => columnsFor(viewer), [viewer]);
  const filters = useMemo<ListFilter[]>(
    () => [
      organizationFilter(text, organizations),
      {
        keys: ['enabled'],
        label: text('profiles.state'),
        options: [
          { value: 'true', label: text('profiles.state.enabled') },
          { value: 'false', label: text('profiles.state.disabled') },
        ],
      },
    ],
    [text, organizations],
  );
  return (
    <RecordList
      name="waybill-profiles"
      title={text('menu.waybill-profiles')}
      purpose={text('profiles.purpose')}
      permission="waybill-profiles:edit"
      param="profile"
      source={source}
      queryKey={PROFILES_KEY}
      load={loadProfile}
      columns={columns}
      filters={filters}
      nameOf={({ name }) => name}
      searchLabel={text('profiles.search')}
      defaultSort={{ sort: 'name', order: 'asc' }}
      exporting={exportProductProfiles}
      importing={[
        {
          route: importProductProfiles,
          template: getProductProfileTemplate,
          title: text('profiles.import.title'),
          help: text('profiles.import.help'),
        },
      ]}
      words={{
        create: text('profiles.create'),
        edit: text('profiles.edit'),
        remove: text('profiles.delete'),
      }}
      empty={{ title: text('profiles.empty'), reason: text('profiles.empty-reason') }}
      isFixed={({ editable }) => !editable}
      moreRowActions={({ id }) => [
        {
          key: 'policy',
          label: text('profiles.create-policy'),
          onClick: () => go(`/alarm/policies/new?profile=${id}`),
        },
      ]}
      form={(profile, close) => <ProfileForm profile={profile} onClose={close} />}
      view={(profile, close, edit) => <ProfileDrawer profile={profile} onEdit={edit} onClose={close} />}
      viewFirst
      removal={{
        title: (name) => text('profiles.delete.title', { name }),
        means: () => text('profiles.delete.means'),
        done: (name) => text('profiles.deleted', { name }),
        run: ({ id }, reason) => changes.remove(id, reason),
      }}
    />
  );
}
