import type { CallTools, Step } from './call-steps.ts';

/** Returns the calls on announcements, each with its own. */
export function announcementSteps({
  one,
  unique,
  demo,
  why,
}: CallTools): Record<string, () => Promise<Step> | Step> {
  const category = (name = unique()) =>
    one(
      `insert into announcement_category (organization_id, name, changed_by, changed_at) values ($1, $2, 'test', now())
       returning id`,
      [demo, name],
    );
  const group = (name = unique()) =>
    one(
      `insert into announcement_group (organization_id, name, organization_ids, role_ids, changed_by, changed_at)
       values ($1, $2, array[$1::bigint], '{}', 'test', now()) returning id`,
      [demo, name],
    );
  const make = (state = 'draft', title = unique()) =>
    one(
      `insert into announcement (organization_id, title, body, summary, search_text, send_type, due_at, popup, email, state,
                                 published_at, changed_by, changed_at)
       values ($1, $2::text, '<p>Text</p>', 'Text', lower($2), 'now', now() + interval '1 day', true, false, $3::text,
               case when $3 in ('published', 'recalled') then now() end, 'test', now()) returning id`,
      [demo, title, state],
    );
  /** An announcement for the users of all organisations. */
  const received = async (title = unique()) => {
    const id = await make('published', title);
    await one(
      `insert into announcement_target (announcement_id, organization_id)
       select $1, id from organization where parent_id is null returning announcement_id as id`,
      [id],
    );
    return id;
  };
  const file = (id: number) =>
    one(
      `insert into record_file (subject_kind, subject_id, name, media_type, bytes, added_by, added_at)
       values ('announcement', $1, 'plan.pdf', 'application/pdf', '%PDF-1.7', 'test', now()) returning id`,
      [id],
    );
  const form = () => ({ organizationId: demo, title: unique(), body: '<p>Text</p>' });
  const listed = (title: string): Step => ({
    query: { search: title },
    holds: (data) => JSON.stringify(data).includes(title),
  });
  const outside = 'announcement.not_found';
  const noCategory = 'announcement_category.not_found';
  const noGroup = 'announcement_group.not_found';
  const noOrganization = 'organization.not_found';
  return {
    listAnnouncementCategories: async () => {
      const name = unique();
      await category(name);
      return listed(name);
    },
    createAnnouncementCategory: () => ({
      json: { organizationId: demo, name: unique() },
      outside: noOrganization,
    }),
    editAnnouncementCategory: async () => ({
      params: { id: await category() },
      json: { organizationId: demo, name: unique() },
      outside: noCategory,
    }),
    deleteAnnouncementCategory: async () => ({
      params: { id: await category() },
      json: why,
      outside: noCategory,
    }),
    listAnnouncementGroups: async () => {
      const name = unique();
      await group(name);
      return listed(name);
    },
    listAnnouncementGroupRoles: async () => {
      const name = unique();
      await one('insert into role (name, organization_id) values ($1, $2) returning id', [name, demo]);
      return { holds: (data) => JSON.stringify(data).includes(name) };
    },
    createAnnouncementGroup: () => ({
      json: { organizationId: demo, name: unique(), organizationIds: [demo] },
      outside: noOrganization,
    }),
    editAnnouncementGroup: async () => ({
      params: { id: await group() },
      json: { organizationId: demo, name: unique(), organizationIds: [demo] },
      outside: noGroup,
    }),
    deleteAnnouncementGroup: async () => ({ params: { id: await group() }, json: why, outside: noGroup }),
    listAnnouncements: async () => {
      const title = unique();
      await make('draft', title);
      return listed(title);
    },
    exportAnnouncements: async () => {
      const title = unique();
      await make('draft', title);
      return { query: { search: title }, holds: (data) => (data as { rows: number }).rows === 1 };
    },
    getAnnouncementChoices: async () => {
      const name = unique();
      await group(name);
      return { holds: (data) => JSON.stringify(data).includes(name) };
    },
    getAnnouncement: async () => ({ params: { id: await make() }, outside }),
    createAnnouncement: () => ({ json: form(), outside: noOrganization }),
    editAnnouncement: async () => ({ params: { id: await make() }, json: form(), outside }),
    deleteAnnouncement: async () => ({ params: { id: await make() }, json: why, outside }),
    publishAnnouncement: async () => ({ params: { id: await make() }, outside }),
    cancelAnnouncement: async () => ({ params: { id: await make('scheduled') }, outside }),
    recallAnnouncement: async () => ({ params: { id: await make('published') }, json: why, outside }),
    listAnnouncementReaders: async () => ({ params: { id: await make('published') }, outside }),
    exportAnnouncementReaders: async () => ({ params: { id: await make('published') }, outside }),
    listAnnouncementFiles: async () => ({ params: { id: await make() }, outside }),
    addAnnouncementFile: async () => ({
      params: { id: await make() },
      fields: { file: { name: 'plan.pdf', bytes: Buffer.from('%PDF-1.7') }, name: 'plan.pdf' },
      outside,
    }),
    readAnnouncementFile: async () => {
      const id = await make();
      return { params: { id, file: await file(id) }, outside };
    },
    deleteAnnouncementFile: async () => {
      const id = await make();
      return { params: { id, file: await file(id) }, json: why, outside };
    },
    listReceivedAnnouncements: async () => {
      await received();
      return {};
    },
    getReceivedAnnouncement: async () => ({ params: { id: await received() } }),
    readReceivedFile: async () => {
      const id = await received();
      return { params: { id, file: await file(id) } };
    },
    markAnnouncement: async () => ({ params: { id: await received() }, json: { read: true } }),
    markAllAnnouncements: async () => {
      await received();
      return {};
    },
    claimAnnouncementPopups: async () => {
      await received();
      return {};
    },
  };
}
