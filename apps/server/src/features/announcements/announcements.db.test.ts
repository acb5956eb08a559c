import type {
  Announcement,
  AnnouncementPopup,
  AnnouncementReader,
  ReadAnnouncement,
  ReceivedAnnouncement,
} from '@isotherm/contracts/announcements';
import type { Attachment } from '@isotherm/contracts/attachments';
import type { MailboxMessage } from '@isotherm/contracts/mailbox';
import { zipSync } from 'fflate';
import { afterAll, beforeAll, expect, test } from 'vitest';
import WebSocket from 'ws';
import { type Asking, asking } from '../../testing/asking.ts';
import { type People, people } from '../../testing/people.ts';
import { type Session, startTestServer, type TestServer } from '../../testing/test-server.ts';

let server: TestServer;
let known: People;
let manager: Asking;
let platform: Asking;
let managerSession: Session;
let nurse: Session;
let clerk: Session;
let demo: number;
let clinic: number;

beforeAll(async () => {
  server = await startTestServer({ environment: { ISOTHERM_ENVIRONMENT: 'development' } });
  const platformSession = await server.logIn('demo.platform');
  known = people(server, platformSession);
  managerSession = await server.logIn('demo.manager');
  manager = asking(server, managerSession);
  platform = asking(server, platformSession);
  demo = await known.organizationId('DEMO');
  clinic = await known.organization('ANN-CLINIC', 'DEMO');
  await known.organization('ANN-OTHER', 'DEMO');
  nurse = await known.account('ann.nurse', 'operator', 'ANN-CLINIC', {
    email: 'nurse@example.com',
    realname: 'Nurse Ann',
  });
  clerk = await known.account('ann.clerk', 'driver', 'ANN-OTHER', { email: 'clerk@example.com' });
});
afterAll(() => server.stop());

const M = '/api/announcement/manage';
const create = (more: object = {}, by = manager) =>
  by.ask<Announcement>({
    method: 'POST',
    path: M,
    json: {
      organizationId: clinic,
      title: 'Maintenance on Sunday',
      body: '<p>From 02:00 to 02:30</p>',
      ...more,
    },
  });
const publish = (id: number, by = manager) =>
  by.ask<Announcement>({ method: 'POST', path: `${M}/${id}/publish` });
const published = async (more: object = {}) => publish((await create(more)).id);
interface Listed {
  items: ReceivedAnnouncement[];
  total: number;
  counts: { all: number; unread: number; pinned: number };
}
const inbox = async (session: Session, query: Record<string, string> = {}) =>
  (await server.call<Listed>({ path: '/api/announcement', session, query })).data;
const unread = async (session: Session) =>
  (
    await server.call<{ unreadAnnouncements: number }>({
      path: '/api/operation/permission',
      query: { menuname: 'announcement-list' },
      session,
    })
  ).data.unreadAnnouncements;
const mark = (session: Session, id: number, read = true) =>
  server.call({ method: 'PUT', path: `/api/announcement/${id}/read`, json: { read }, session });
const readAll = (session: Session) => server.call({ method: 'PUT', path: '/api/announcement/read', session });
/** The times differ, because a signature is accepted once. */
const claim = async (session: Session, later = 0) =>
  (
    await server.call<AnnouncementPopup[]>({
      method: 'POST',
      path: '/api/announcement/popup',
      session,
      timestamp: Date.now() + later,
    })
  ).data;

test('an announcement reaches the users of its organisation and of those below it, and nobody else', async () => {
  const { id, state } = await published();
  expect(state).toBe('published');
  expect((await inbox(nurse)).items).toMatchObject([
    { id, title: 'Maintenance on Sunday', summary: 'From 02:00 to 02:30', isRead: false },
  ]);
  expect(await unread(nurse)).toBe(1);
  expect(await inbox(clerk)).toMatchObject({ items: [], total: 0, counts: { all: 0, unread: 0 } });
  // The manager, whose organisation is above, manages it and does not receive it.
  expect((await inbox(managerSession)).items).toEqual([]);
  for (const session of [clerk, managerSession]) {
    const other = asking(server, session);
    for (const path of [`/api/announcement/${id}`, `/api/announcement/${id}/file/1`])
      expect(await other.refusal({ path })).toBe('announcement.not_found');
    expect((await mark(session, id)).status).toBe('announcement.not_found');
  }
  expect((await mark(nurse, id)).status).toBe('1');
  expect(await unread(nurse)).toBe(0);
  // An author of another organisation sees neither it nor its receipts.
  const stranger = asking(server, await known.account('ann.stranger', 'quality-manager', 'ANN-OTHER'));
  for (const path of [`${M}/${id}`, `${M}/${id}/reader`, `${M}/${id}/file`])
    expect(await stranger.refusal({ path })).toBe('announcement.not_found');
  expect(await stranger.refusal({ method: 'POST', path: `${M}/${id}/recall`, json: { reason: 'x' } })).toBe(
    'announcement.not_found',
  );
  expect(
    await stranger.refusal({
      method: 'POST',
      path: M,
      json: { organizationId: clinic, title: 'x', body: '<p>x</p>' },
    }),
  ).toBe('organization.not_found');
});

test('scripts are removed when a text is stored, and a text without words is refused', async () => {
  const { id } = await published({
    title: 'Danger <img src=x onerror=alert(1)>',
    body: '<p onclick="x()">Safe</p><script>alert(1)</script><a href="javascript:x()">link</a>',
  });
  const read = await asking(server, nurse).ask<ReadAnnouncement>({ path: `/api/announcement/${id}` });
  expect(read).toMatchObject({
    title: 'Danger <img src=x onerror=alert(1)>',
    body: '<p>Safe</p><a>link</a>',
    summary: 'Safe link',
  });
  const { rows } = await server.pool.query('select body from announcement where id = $1', [id]);
  expect(rows).toEqual([{ body: '<p>Safe</p><a>link</a>' }]);
  expect(
    await server.call({
      method: 'POST',
      path: M,
      session: managerSession,
      json: { organizationId: demo, title: 'Empty', body: '<p> </p><script>alert(1)</script>' },
    }),
  ).toMatchObject({ status: 'request.invalid', data: { fields: [{ field: 'body' }] } });
});

test('a user group limits the recipients to organisations and roles, also after it was changed', async () => {
  await readAll(clerk);
  const operators = await known.roleId('operator');
  const group = await manager.ask<{ id: number; users: number }>({
    method: 'POST',
    path: '/api/announcement/user-group',
    json: { organizationId: demo, name: 'Operators', organizationIds: [demo], roleIds: [operators] },
  });
  expect(group.users).toBeGreaterThan(0);
  const draft = await create({ organizationId: demo, title: 'For operators', groupId: group.id });
  expect(
    await manager.refusal({
      method: 'DELETE',
      path: `/api/announcement/user-group/${group.id}`,
      json: { reason: 'x' },
    }),
  ).toBe('announcement_group.in_use');
  await publish(draft.id);
  await manager.ask({
    method: 'PUT',
    path: `/api/announcement/user-group/${group.id}`,
    json: {
      organizationId: demo,
      name: 'Drivers',
      organizationIds: [demo],
      roleIds: [await known.roleId('driver')],
    },
  });
  expect((await inbox(nurse)).items[0]).toMatchObject({ id: draft.id, groupName: 'Operators' });
  expect((await inbox(clerk)).items).toEqual([]);
  // Neither organisations nor roles outside the scope can be in a group.
  const { rows } = await server.pool.query('select id from organization where parent_id is null');
  expect(
    await manager.refusal({
      method: 'POST',
      path: '/api/announcement/user-group',
      json: { organizationId: demo, name: 'All', organizationIds: [rows[0].id] },
    }),
  ).toBe('organization.not_found');
  expect(
    await manager.refusal({
      method: 'POST',
      path: '/api/announcement/user-group',
      json: { organizationId: demo, name: 'None', organizationIds: [demo], roleIds: [999_999] },
    }),
  ).toBe('role.not_found');
});

test('receipts say who has read an announcement, and keep it when it is marked as unread', async () => {
  const { id } = await published({ title: 'Receipts' });
  await mark(nurse, id);
  await mark(nurse, id, false);
  expect((await inbox(nurse, { view: 'unread', search: 'receipts' })).items).toMatchObject([{ id }]);
  const readers = await manager.ask<{ items: AnnouncementReader[]; recipients: number; readers: number }>({
    path: `${M}/${id}/reader`,
  });
  expect(readers).toMatchObject({ recipients: 1, readers: 1, items: [{ username: 'ann.nurse' }] });
  expect(readers.items[0]?.readAt).not.toBeNull();
  // Who arrives later can read it, without being counted or having it as unread.
  const late = await known.account('ann.late', 'operator', 'ANN-CLINIC');
  expect((await inbox(late, { search: 'receipts' })).items).toMatchObject([{ id, isRead: true }]);
  expect(await unread(late)).toBe(0);
  const sheet = await manager.ask<{ rows: number }>({ path: `${M}/${id}/reader/export` });
  expect(sheet.rows).toBe(1);
});

test('a published announcement cannot be changed, and a recalled one is not seen any more', async () => {
  const { id, organizationId, title, body } = await published({ title: 'Wrong date' });
  const json = { organizationId, title, body };
  expect(await manager.refusal({ method: 'PUT', path: `${M}/${id}`, json })).toBe('announcement.state');
  expect(await manager.refusal({ method: 'DELETE', path: `${M}/${id}`, json: { reason: 'x' } })).toBe(
    'announcement.state',
  );
  expect(await manager.refusal({ method: 'POST', path: `${M}/${id}/publish` })).toBe('announcement.state');
  const before = await unread(nurse);
  await manager.ask({ method: 'POST', path: `${M}/${id}/recall`, json: { reason: 'Wrong date' } });
  expect(await unread(nurse)).toBe(before - 1);
  expect((await inbox(nurse, { search: 'wrong date' })).items).toEqual([]);
  expect(await asking(server, nurse).refusal({ path: `/api/announcement/${id}` })).toBe(
    'announcement.not_found',
  );
  expect(await manager.audited('announcement', id)).toMatchObject([
    { action: 'create', after: { title: 'Wrong date', state: 'draft' } },
    { action: 'change', after: { state: 'published' } },
    { action: 'change', after: { state: 'recalled', recallReason: 'Wrong date' } },
  ]);
});

test('a popup is shown once to each user, whatever the number of tabs', async () => {
  await readAll(nurse);
  const { id } = await published({ title: 'Popup', popup: true });
  const colleague = await server.logIn('ann.nurse');
  const answers = await Promise.all([nurse, colleague, nurse, colleague].map((each, at) => claim(each, at)));
  expect(answers.flat().map((each) => each.id)).toEqual([id]);
  expect(await claim(nurse)).toEqual([]);
  expect(await claim(clerk)).toEqual([]);
  // It was shown, and is still to be read.
  expect(await unread(nurse)).toBe(1);
  const { id: read } = await published({ title: 'Read before', popup: true });
  await mark(nurse, read);
  expect(await claim(nurse)).toEqual([]);
});

test('a scheduled announcement is published once when it is due, by one of several processes, with one e-mail each', async () => {
  const soon = new Date(Date.now() + 3_600_000).toISOString();
  const past = new Date(Date.now() - 60_000).toISOString();
  const late = await create({ sendType: 'scheduled', dueAt: past });
  expect(await manager.refusal({ method: 'POST', path: `${M}/${late.id}/publish` })).toBe(
    'announcement.past',
  );
  expect(
    await server.call({
      method: 'POST',
      path: M,
      session: managerSession,
      json: { organizationId: clinic, title: 'x', body: '<p>x</p>', sendType: 'scheduled' },
    }),
  ).toMatchObject({ status: 'request.invalid', data: { fields: [{ field: 'dueAt' }] } });

  const form = { title: 'Due', sendType: 'scheduled', dueAt: soon, email: true };
  const { id } = await create({ ...form, body: '<p>Please <strong>read</strong></p>' });
  expect(await publish(id)).toMatchObject({ state: 'scheduled', publishedAt: null });
  expect((await inbox(nurse, { search: 'due' })).items).toEqual([]);
  expect(await manager.ask({ method: 'POST', path: `${M}/${id}/cancel` })).toMatchObject({ state: 'draft' });
  await publish(id);

  const others = await Promise.all(
    [1, 2].map(() =>
      startTestServer({
        environment: { ISOTHERM_ROLE: 'worker', ISOTHERM_ENVIRONMENT: 'development' },
        databaseUrl: server.databaseUrl,
      }),
    ),
  );
  await server.pool.query(`update announcement set due_at = now() - interval '1 s' where id = $1`, [id]);
  await expect
    .poll(async () => (await inbox(nurse, { search: 'due' })).items, { timeout: 10_000 })
    .toMatchObject([{ id, isRead: false }]);
  const mails = async () =>
    (
      await platform.ask<{ items: MailboxMessage[] }>({ path: '/api/mailbox', query: { channel: 'email' } })
    ).items.filter(({ template, subject }) => template === 'announcement' && subject === 'Due');
  await expect.poll(mails, { timeout: 10_000 }).toHaveLength(1);
  const finished = async () =>
    (await server.pool.query('select mailed_to from announcement where id = $1', [id])).rows;
  await expect.poll(finished, { timeout: 10_000 }).toEqual([{ mailed_to: null }]);
  const [mail, ...more] = await mails();
  expect(more).toEqual([]);
  expect(mail).toMatchObject({ recipient: 'nurse@example.com' });
  expect(mail?.text).toContain('Please read');
  expect(mail?.text).toContain(`/announcement/list?announcement=${id}`);
  await Promise.all(others.map((each) => each.stop()));
});

test('up to 5 attachments of known types are added to a draft, and read by its recipients only', async () => {
  const { id } = await create({ title: 'Files' });
  const add = (name: string, bytes: Buffer) =>
    server.call<Attachment>({
      method: 'POST',
      path: `${M}/${id}/file`,
      session: managerSession,
      fields: { file: { name, bytes }, name },
    });
  const pdf = Buffer.from('%PDF-1.7\nplan');
  const office = (...parts: string[]) =>
    Buffer.from(zipSync(Object.fromEntries(parts.map((part) => [part, new Uint8Array([1])]))));
  const sheet = office('[Content_Types].xml', 'xl/workbook.xml');
  const refused: [string, Buffer][] = [
    ['page.html', Buffer.from('<script>alert(1)</script>')],
    ['plan.pdf', Buffer.from('<script>alert(1)</script>')],
    ['plan.html', pdf],
    ['plan.pdf.exe', pdf],
    ['photo.svg', Buffer.from('<svg onload="alert(1)"/>')],
    ['macros.xlsx', office('[Content_Types].xml', 'xl/workbook.xml', 'xl/vbaProject.bin')],
    ['archive.xlsx', office('a.txt')],
    ['broken.xlsx', Buffer.from('PK\u0003\u0004broken')],
    ['contacts.docx', sheet],
  ];
  for (const [name, bytes] of refused)
    expect([name, (await add(name, bytes)).status]).toEqual([name, 'announcement.file_type']);
  expect((await add('large.pdf', Buffer.concat([pdf, Buffer.alloc(5 * 1024 * 1024)]))).status).toBe(
    'upload.too_large',
  );
  const plan = await add('plan.pdf', pdf);
  expect(plan.data).toMatchObject({ mediaType: 'application/pdf' });
  expect((await add('contacts.xlsx', sheet)).status).toBe('1');
  expect((await add('letter.docx', office('[Content_Types].xml', 'word/document.xml'))).status).toBe('1');
  await add('a.pdf', pdf);
  await add('b.pdf', pdf);
  expect((await add('c.pdf', pdf)).status).toBe('file.too_many');

  const own = asking(server, nurse);
  expect(await own.refusal({ path: `/api/announcement/${id}/file/${plan.data.id}` })).toBe(
    'announcement.not_found',
  );
  await publish(id);
  const read = await own.ask<ReadAnnouncement>({ path: `/api/announcement/${id}` });
  expect(read.files.map(({ name }) => name)).toEqual([
    'plan.pdf',
    'contacts.xlsx',
    'letter.docx',
    'a.pdf',
    'b.pdf',
  ]);
  const bytes = await server.call({ path: `/api/announcement/${id}/file/${plan.data.id}`, session: nurse });
  expect(bytes.data).toBe(pdf.toString());
  // Files of other announcements are not found by this one, and what was published is not changed.
  const { id: other } = await published({ title: 'No files' });
  expect(await own.refusal({ path: `/api/announcement/${other}/file/${plan.data.id}` })).toBe(
    'file.not_found',
  );
  expect((await add('d.pdf', pdf)).status).toBe('announcement.state');
  expect(
    await manager.refusal({
      method: 'DELETE',
      path: `${M}/${id}/file/${plan.data.id}`,
      json: { reason: 'x' },
    }),
  ).toBe('announcement.state');
});

test('the limit of an attachment is 200 KB where this is configured', async () => {
  const small = await startTestServer({ environment: { ISOTHERM_ANNOUNCEMENT_FILE_SIZE: '200KB' } });
  const session = await small.logIn('demo.manager');
  const { rows } = await small.pool.query(`select id from organization where code = 'DEMO'`);
  const { data } = await small.call<Announcement>({
    method: 'POST',
    path: M,
    session,
    json: { organizationId: rows[0].id, title: 'Files', body: '<p>Text</p>' },
  });
  const add = (length: number) =>
    small.call({
      method: 'POST',
      path: `${M}/${data.id}/file`,
      session,
      fields: {
        file: { name: 'a.pdf', bytes: Buffer.concat([Buffer.from('%PDF-1.7'), Buffer.alloc(length)]) },
        name: 'a.pdf',
      },
    });
  expect((await add(201 * 1024)).status).toBe('upload.too_large');
  expect((await add(199 * 1024)).status).toBe('1');
  await small.stop();
});

test('the open console of a recipient is told when an announcement is published, and the search finds its text', async () => {
  const { data } = await server.call<{ ticket: string }>({
    method: 'POST',
    path: '/api/auth/socket-ticket',
    session: nurse,
  });
  const query = new URLSearchParams({ username: 'ann.nurse', ticket: data.ticket });
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/ws?${query}`);
  const told = new Promise<void>((resolve) =>
    socket.on('message', (text) => {
      if (JSON.parse(String(text)).event === 'popups') resolve();
    }),
  );
  await new Promise((opened) => socket.once('message', opened));
  const { id } = await published({ title: 'Vaccines', body: '<p>Keep fridge <em>04</em> free</p>' });
  await told;
  socket.close();
  expect((await inbox(nurse, { search: 'FRIDGE 04' })).items).toMatchObject([{ id }]);
  expect((await inbox(nurse, { search: 'em>' })).items).toEqual([]);
});

test('pinned announcements come first until their day is over, and categories filter', async () => {
  const category = await manager.ask<{ id: number }>({
    method: 'POST',
    path: '/api/announcement/category',
    json: { organizationId: demo, name: 'Service' },
  });
  const pinned = await published({ title: 'Pinned', pinnedUntil: '2099-12-31', categoryId: category.id });
  const newer = await published({ title: 'Newer', pinnedUntil: '2020-01-01' });
  const { items, counts } = await inbox(nurse);
  expect(items.slice(0, 2)).toMatchObject([
    { id: pinned.id, pinnedUntil: '2099-12-31', categoryName: 'Service' },
    { id: newer.id, pinnedUntil: null },
  ]);
  expect(counts.pinned).toBe(1);
  expect((await inbox(nurse, { view: 'pinned' })).items).toHaveLength(1);
  expect((await inbox(nurse, { categoryId: String(category.id) })).items).toMatchObject([{ id: pinned.id }]);
  await manager.ask({
    method: 'DELETE',
    path: `/api/announcement/category/${category.id}`,
    json: { reason: 'Not used' },
  });
  expect((await inbox(nurse, { view: 'pinned' })).items).toMatchObject([{ categoryName: null }]);
});
