import {
  type AnnouncementCategory,
  announcementCategoryInput,
  listAnnouncementCategories,
} from '@isotherm/contracts/announcement-groups';
import { useMemo } from 'react';
import { OrganizationField } from '../../shared/access/organization-field.tsx';
import { useOrganizations } from '../../shared/access/organizations.ts';
import { useViewer, type Viewer } from '../../shared/format/viewer.tsx';
import { useText } from '../../shared/i18n/use-text.ts';
import { FormDrawer, FormSection } from '../../shared/ui/form/form-drawer.tsx';
import { TextField } from '../../shared/ui/form/text-fields.tsx';
import { pagesOf } from '../../shared/ui/list/list-source.ts';
import type { ListColumn } from '../../shared/ui/list/list-types.ts';
import { organizationFilter } from '../../shared/ui/list/organization-filter.tsx';
import { RecordList } from '../../shared/ui/list/record-list.tsx';
import { CATEGORIES_KEY, useCategoryChanges } from './announcements.queries.ts';

const source = pagesOf(listAnnouncementCategories);
const FAULT_FIELDS = { 'organization.not_found': 'organizationId', 'announcement_category.taken': 'name' };

function columnsFor({ text, time }: Viewer): ListColumn<AnnouncementCategory>[] {
  return [
    {
      key: 'name',
      title: text('announcements.categories.name'),
      sortable: true,
      pinned: true,
      maxWidth: 280,
      render: ({ name }) => name,
    },
    {
      key: 'announcements',
      title: text('announcements.categories.count'),
      render: ({ announcements }) => <span className="number">{announcements}</span>,
    },
    {
      key: 'organization',
      title: text('announcements.organization'),
      sortable: true,
      maxWidth: 260,
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

/** Categories of announcements. */
export default function AnnouncementCategoriesPage() {
  const viewer = useViewer();
  const { text } = viewer;
  const organizations = useOrganizations();
  const changes = useCategoryChanges();
  const columns = useMemo(() => columnsFor(viewer), [viewer]);
  const filters = useMemo(() => [organizationFilter(text, organizations)], [text, organizations]);
  return (
    <RecordList
      name="announcement-categories"
      title={text('menu.announcement-categories')}
      purpose={text('announcements.categories.purpose')}
      permission="announcement-categories:edit"
      param="category"
      source={source}
      queryKey={CATEGORIES_KEY}
      columns={columns}
      filters={filters}
      nameOf={({ name }) => name}
      searchLabel={text('announcements.categories.search')}
      defaultSort={{ sort: 'name', order: 'asc' }}
      words={{
        create: text('announcements.categories.create'),
        edit: text('announcements.categories.edit'),
        remove: text('announcements.delete'),
      }}
      empty={{
        title: text('announcements.categories.empty'),
        reason: text('announcements.categories.empty-reason'),
      }}
      form={(category, close) => <CategoryForm category={category} onClose={close} />}
      removal={{
        title: (name) => text('announcements.categories.delete.title', { name }),
        means: ({ announcements }) => text('announcements.categories.delete.means', { count: announcements }),
        done: (name) => text('announcements.categories.deleted', { name }),
        run: ({ id }, reason) => changes.remove(id, reason),
      }}
    />
  );
}

function CategoryForm({
  category,
  onClose,
}: {
  category: AnnouncementCategory | undefined;
  onClose: () => void;
}) {
  const { text } = useText();
  const changes = useCategoryChanges();
  return (
    <FormDrawer
      title={text(category ? 'announcements.categories.edit' : 'announcements.categories.create')}
      submitLabel={text(category ? 'common.action.save' : 'announcements.categories.create')}
      schema={announcementCategoryInput}
      initial={category ? { organizationId: category.organizationId, name: category.name } : {}}
      submit={(values) => (category ? changes.edit(category.id, values) : changes.create(values))}
      success={text('announcements.categories.saved')}
      faultFields={FAULT_FIELDS}
      onClose={onClose}
    >
      <FormSection>
        <TextField wide name="name" label={text('announcements.categories.name')} />
        <OrganizationField wide label={text('announcements.organization')} />
      </FormSection>
    </FormDrawer>
  );
}
