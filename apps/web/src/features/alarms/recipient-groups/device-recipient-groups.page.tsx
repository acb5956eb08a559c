import {
  createRecipientGroup,
  deleteRecipientGroup,
  editRecipientGroup,
  exportRecipientGroups,
  getRecipientGroup,
  listGroupCandidates,
  listRecipientGroups,
  type RecipientGroup,
  recipientGroupInput,
} from '@isotherm/contracts/recipient-groups';
import { useMemo } from 'react';
import { OrganizationField } from '../../../shared/access/organization-field.tsx';
import { call } from '../../../shared/api/client.ts';
import { crudChanges } from '../../../shared/api/crud-changes.ts';
import { useViewer, type Viewer } from '../../../shared/format/viewer.tsx';
import { useText } from '../../../shared/i18n/use-text.ts';
import { FormDrawer, FormSection } from '../../../shared/ui/form/form-drawer.tsx';
import { TextAreaField, TextField } from '../../../shared/ui/form/text-fields.tsx';
import { pagesOf } from '../../../shared/ui/list/list-source.ts';
import type { ListColumn } from '../../../shared/ui/list/list-types.ts';
import { RecordList } from '../../../shared/ui/list/record-list.tsx';
import { PeopleField, type PeopleSource, personName } from '../people-field.tsx';

const KEY = ['alarms', 'recipient-groups'] as const;
const source = pagesOf(listRecipientGroups);
const useChanges = crudChanges(KEY, {
  create: createRecipientGroup,
  edit: editRecipientGroup,
  remove: deleteRecipientGroup,
});
const load = (id: number, signal: AbortSignal) => call(getRecipientGroup, { params: { id }, signal });
const CANDIDATES: PeopleSource = {
  key: KEY,
  search: (search) => call(listGroupCandidates, { query: { search }, quiet: true }),
};
const FAULT_FIELDS = {
  'organization.not_found': 'organizationId',
  'recipient_group.taken': 'name',
  'recipient_group.member': 'members',
};

function columnsFor({ text, time }: Viewer): ListColumn<RecipientGroup>[] {
  return [
    {
      key: 'name',
      title: text('receivers.name'),
      sortable: true,
      pinned: true,
      maxWidth: 240,
      render: ({ name }) => name,
    },
    {
      key: 'members',
      title: text('recipient-groups.members'),
      maxWidth: 420,
      render: ({ members }) =>
        members
          .map((member) =>
            member.isActive
              ? personName(member)
              : `${personName(member)} (${text('recipient-groups.member.inactive')})`,
          )
          .join(text('logs.value.between')),
    },
    {
      key: 'policies',
      title: text('recipient-groups.policies'),
      align: 'end',
      render: ({ policies }) => <span className="number">{policies}</span>,
    },
    {
      key: 'organization',
      title: text('receivers.organization'),
      sortable: true,
      maxWidth: 240,
      render: ({ organizationName }) => <span className="secondary">{organizationName}</span>,
    },
    {
      key: 'changedAt',
      title: text('receivers.changed'),
      sortable: true,
      firstOrder: 'desc',
      render: ({ changedAt, changedBy }) => (
        <span className="secondary">{`${time(changedAt, 'date-time')} · ${changedBy}`}</span>
      ),
    },
  ];
}

/** List of the groups of receivers and accounts that alarm policies notify. */
export default function RecipientGroupList() {
  const viewer = useViewer();
  const { text } = viewer;
  const changes = useChanges();
  const columns = useMemo(() => columnsFor(viewer), [viewer]);
  return (
    <RecordList
      name="device-recipient-groups"
      title={text('menu.device-recipient-groups')}
      purpose={text('recipient-groups.purpose')}
      permission="device-recipient-groups:edit"
      param="group"
      source={source}
      queryKey={KEY}
      load={load}
      columns={columns}
      nameOf={({ name }) => name}
      searchLabel={text('recipient-groups.search')}
      defaultSort={{ sort: 'name', order: 'asc' }}
      exporting={exportRecipientGroups}
      words={{
        create: text('recipient-groups.create'),
        edit: text('recipient-groups.edit'),
        remove: text('recipient-groups.delete'),
      }}
      empty={{ title: text('recipient-groups.empty'), reason: text('recipient-groups.empty-reason') }}
      form={(group, close) => <RecipientGroupForm group={group} onClose={close} />}
      removal={{
        title: (name) => text('recipient-groups.delete.title', { name }),
        means: () => text('recipient-groups.delete.means'),
        done: (name) => text('recipient-groups.deleted', { name }),
        run: ({ id }, reason) => changes.remove(id, reason),
      }}
    />
  );
}

function RecipientGroupForm({ group, onClose }: { group: RecipientGroup | undefined; onClose: () => void }) {
  const { text } = useText();
  const changes = useChanges();
  return (
    <FormDrawer
      title={text(group ? 'recipient-groups.edit' : 'recipient-groups.create')}
      submitLabel={text(group ? 'common.action.save' : 'recipient-groups.create')}
      schema={recipientGroupInput}
      initial={group ? initialOf(group) : { members: [] }}
      submit={(values) => (group ? changes.edit(group.id, values) : changes.create(values))}
      success={text('recipient-groups.saved')}
      faultFields={FAULT_FIELDS}
      onClose={onClose}
    >
      <FormSection>
        <TextField name="name" label={text('receivers.name')} />
        <OrganizationField label={text('receivers.organization')} />
        <PeopleField
          wide
          name="members"
          label={text('recipient-groups.members')}
          help={text('recipient-groups.members.help')}
          source={CANDIDATES}
          known={group?.members ?? []}
        />
        <TextAreaField name="description" label={text('receivers.description')} />
      </FormSection>
    </FormDrawer>
  );
}

const initialOf = ({ organizationId, name, description, members }: RecipientGroup) => ({
  organizationId,
  name,
  description,
  members: members.map(({ type, id }) => ({ type, id })),
});
