import { ALL_ROUTES } from '@isotherm/contracts/routes';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createCalls, type PreparedCalls } from './testing/calls.ts';
import { type Session, startTestServer, type TestServer } from './testing/test-server.ts';

/**
 * Tests that no call commits without its audit entry: each one, including GET, is made while the audit log
 * refuses entries, and must have changed nothing.
 */
let server: TestServer;
let calls: PreparedCalls;
let session: Session;

/** Tables whose changes are not user actions and need no audit entry. */
const TRACES = [
  'unlogged',
  'audit_stopped',
  'audit_entry',
  'audit_head',
  'used_token',
  'login_failure',
  // The server itself writes this table during the test.
  'device_presence',
  'device_contact',
  'receiving_clock',
  'receiving_span',
];

/** Routes whose changes have no audit entry of their own, with their tables and the reason. */
const WITHOUT_ENTRY: Readonly<Record<string, { tables: readonly string[]; why: string }>> = {
  uploadAvatar: { tables: ['stored_image'], why: 'a picture that nothing shows is deleted after a day' },
  uploadBrandLogo: { tables: ['stored_image'], why: 'a picture that nothing shows is deleted after a day' },
  uploadPrintHeadLogo: {
    tables: ['stored_image'],
    why: 'a picture that nothing shows is deleted after a day',
  },
  createOrder: {
    tables: ['sandbox_payment'],
    why: 'what the payment provider knows; the order itself is logged',
  },
  cancelImport: {
    tables: ['running_import'],
    why: 'what the import has done until then has its own entries',
  },
  cancelJob: { tables: ['job'], why: 'the order has its entry, and nothing comes of it any more' },
  deleteJob: { tables: ['job', 'stored_file'], why: 'a copy that would be deleted after some days anyway' },
  moveMenu: { tables: ['menu'], why: 'it is moved to where it is; those beside it are numbered anew' },
  arrangeDashboard: { tables: ['dashboard_arrangement'], why: 'how one user sees the first page' },
  confirmPopups: {
    tables: ['alarm_notification', 'alarm_test_message'],
    why: 'a mark that the console has shown it',
  },
  markAnnouncement: {
    tables: ['announcement_receipt'],
    why: 'a mark of the reader, which is the receipt itself',
  },
  markAllAnnouncements: {
    tables: ['announcement_receipt'],
    why: 'a mark of the reader, which is the receipt itself',
  },
  claimAnnouncementPopups: {
    tables: ['announcement_receipt'],
    why: 'a mark that the console has shown it',
  },
  readRenewalNotice: { tables: ['renewal_notice_read'], why: 'a mark of the reader alone' },
  testWebcam: { tables: ['webcam'], why: 'whether the camera answered; nobody chose it' },
  offerToWebcam: { tables: ['webcam'], why: 'whether the camera answered; nobody chose it' },
  takeWebcamSnapshot: { tables: ['webcam'], why: 'whether the camera answered; nobody chose it' },
  readWebcamStream: { tables: ['webcam'], why: 'whether the camera answered; nobody chose it' },
  readWebcamFrames: { tables: ['webcam'], why: 'whether the camera answered; nobody chose it' },
  refreshToken: {
    tables: ['session'],
    why: 'a session goes on under another token; that it began and ended is logged',
  },
};

beforeAll(async () => {
  // Without scheduled jobs, which write on their own.
  server = await startTestServer({
    environment: { ISOTHERM_ENVIRONMENT: 'development', ISOTHERM_ROLE: 'web,ingest' },
  });
  calls = await createCalls(server);
  session = await server.logIn('demo.platform');
  await server.pool.query(`
    create table unlogged (name text not null);
    create table audit_stopped ();
    create function note_write() returns trigger language plpgsql security definer as $$
    declare
      -- A session that is used goes on for longer.
      bookkeeping constant text[] := case tg_table_name when 'session' then '{expires_at,last_seen_at}'
                                                        else '{version,changed_at,changed_by,updated_at}' end;
    begin
      if current_setting('application_name') = 'isotherm-web' and (
           tg_op <> 'UPDATE' or to_jsonb(old) - bookkeeping is distinct from to_jsonb(new) - bookkeeping) then
        insert into unlogged values (coalesce(tg_argv[0], tg_table_name));
      end if;
      return null;
    end $$;
    create function refuse_entry() returns trigger language plpgsql security definer as $$
    begin
      if exists (select from audit_stopped) then
        raise exception 'the audit log takes no entries';
      end if;
      return new;
    end $$;
    create trigger refuse_entry before insert on audit_entry for each row execute function refuse_entry()`);
  const { rows } = await server.pool.query<{ name: string }>(
    `select relname as name from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition and relname <> all($1)`,
    [TRACES],
  );
  for (const { name } of rows)
    await server.pool.query(
      `create trigger note_write after insert or update or delete on ${name}
        for each row execute function note_write('${name}')`,
    );
});
afterAll(() => server.stop());

it.each(ALL_ROUTES.map((route) => [route.name, route] as const))(
  '%s changes nothing without its audit entry',
  async (name, route) => {
    const prepared = await calls.prepare(route, session.username);
    await server.pool.query('truncate unlogged; insert into audit_stopped default values');
    await server.call({ ...prepared.call, session: prepared.session ?? session });
    const { rows } = await server.pool.query<{ name: string }>(
      'select distinct name from unlogged order by name',
    );
    await server.pool.query('truncate audit_stopped');
    const allowed = WITHOUT_ENTRY[name]?.tables ?? [];
    expect(rows.map((row) => row.name).filter((table) => !allowed.includes(table))).toEqual([]);
  },
);
