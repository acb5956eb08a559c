import {
  type AnnouncementGroup,
  announcementGroupInput,
  listAnnouncementGroups,
} from '@isotherm/contracts/announcement-groups';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { OrganizationField } from '../../shared/access/organization-field.tsx';
import { useOrganizations } from '../../shared/access/organizations.ts';
import { roleName } from '../../shared/access/role-words.ts';
import { useViewer, type Viewer } from '../../shared/format/viewer.tsx';
import { listed } from '../../shared/i18n/phrases.ts';
import { useText } from '../../shared/i18n/use-text.ts';
import { SelectField } from '../../shared/ui/form/choice-fields.tsx';
import { FormDrawer, FormSection } from '../../shared/ui/form/form-drawer.tsx';
import { TextField } from '../../shared/ui/form/text-fields.tsx';
import { pagesOf } from '../../shared/ui/list/list-source.ts';
import type { ListColumn } from '../../shared/ui/list/list-types.ts';
import { organizationFilter } from '../../shared/ui/list/organization-filter.tsx';
import { RecordList } from '../../shared/ui/list/record-list.tsx';
import { GROUPS_KEY, groupRolesQuery, useGroupChanges } from './announcements.queries.ts';

const source = pagesOf(listAnnouncementGroups);
const FAULT_FIELDS = {
  'organization.not_found': 'organizationIds',
  'role.not_found': 'roleIds',
  'announcement_group.taken': 'name',
};

function columnsFor({ text, time }: Viewer): ListColumn<AnnouncementGroup>[] {
  return [
    {
      key: 'name',
      title: text('announcements.groups.name'),
      sortable: true,
      pinned: true,
      maxWidth: 260,
      render: ({ name }) => name,
    },
    {
      key: 'users',
      title: text('announcements.groups.users'),
      render: ({ users }) => <span className="number">{users}</span>,
    },
    {
      key: 'organizations',
      title: text('announcements.groups.organizations'),
      maxWidth: 280,
      render: ({ organizationNames }) => listed(text, organizationNames),
    },
    {
      key: 'roles',
      title: text('announcements.groups.roles'),
      maxWidth: 280,
      render: ({ roles }) =>
        listed(
          text,
          roles.map((role) => roleName(role, text)),
        ) || text('announcements.groups.roles.all'),
    },
    {
      key: 'organization',
      title: text('announcements.groups.owner'),
      sortable: true,
      maxWidth: 220,
      render: ({ organizationName }) => <span className="secondary">{organizationName}</span>,
    },
    {
      key: 'changedAt',
      title: text('announcements.changed'),
      sortable: true,
      firstOrder: 'desc',
      offered: true,
      render: ({ changedAt, changedBy }) => (
        <span className="secondary">{`${time(changedAt, 'date-time')} · ${changedBy}`}</span>
      ),
    },
  ];
}

/** User groups to which announcements are sent. */
export default function AnnouncementUserGroupsPage() {
  const viewer = useViewer();
  const { text } = viewer;
  const organizations = useOrganizations();
  const changes = useGroupChanges();
  const columns = useMemo(() => columnsFor(viewer), [viewer]);
  const filters = useMemo(() => [organizationFilter(text, organizations)], [text, organizations]);
  return (
    <RecordList
      name="announcement-user-groups"
      title={text('menu.announcement-user-groups')}
      purpose={text('announcements.groups.purpose')}
      permission="announcement-user-groups:edit"
      param="group"
      source={source}
      queryKey={GROUPS_KEY}
      columns={columns}
      filters={filters}
      nameOf={({ name }) => name}
      searchLabel={text('announcements.groups.search')}
      defaultSort={{ sort: 'name', order: 'asc' }}
      words={{
        create: text('announcements.groups.create'),
        edit: text('announcements.groups.edit'),
        remove: text('announcements.delete'),
      }}
      empty={{ title: text('announcements.groups.empty'), reason: text('announcements.groups.empty-reason') }}
      form={(group, close) => <GroupForm group={group} onClose={close} />}
      removal={{
        title: (name) => text('announcements.groups.delete.title', { name }),
        means: () => text('announcements.groups.delete.means'),
        done: (name) => text('announcements.groups.deleted', { name }),
        run: ({ id }, reason) => changes.remove(id, reason),
      }}
    />
  );
}

function GroupForm({ group, onClose }: { group: AnnouncementGroup | undefined; onClose: () => void }) {
  const { text } = useText();
  const changes = useGroupChanges();
  const { nodes } = useOrganizations();
  const { data: roles = [] } = useQuery(groupRolesQuery);
  return (
    <FormDrawer
      title={text(group ? 'announcements.groups.edit' : 'announcements.groups.create')}
      submitLabel={text(group ? 'common.action.save' : 'announcements.groups.create')}
      schema={announcementGroupInput}
      initial={
        group
          ? {
              organizationId: group.organizationId,
              name: group.name,
              organizationIds: group.organizationIds,
              roleIds: group.roleIds,
            }
          : { organizationIds: [], roleIds: [] }
      }
      submit={(values) => (group ? changes.edit(group.id, values) : changes.create(values))}
      success={text('announcements.groups.saved')}
      faultFields={FAULT_FIELDS}
      onClose={onClose}
    >
      <FormSection>
        <TextField wide name="name" label={text('announcements.groups.name')} />
        <SelectField
          wide
          multiple
          name="organizationIds"
          label={text('announcements.groups.organizations')}
          help={text('announcements.groups.organizations.help')}
          options={nodes.map(({ id, name }) => ({ value: id, label: name }))}
        />
        <SelectField
          wide
          multiple
          name="roleIds"
          label={text('announcements.groups.roles')}
          help={text('announcements.groups.roles.help')}
          options={roles.map((role) => ({ value: role.id, label: roleName(role, text) }))}
        />
        <OrganizationField wide label={text('announcements.groups.owner')} />
      </FormSection>
    </FormDrawer>
  );
}
