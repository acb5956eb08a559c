import type { AlarmAnalysis } from '@isotherm/contracts/alarm-history';
import type { RouteContract } from '@isotherm/contracts/route';
import { PUBLIC } from '@isotherm/domain/access/permissions';
import { alarmSteps } from './alarm-calls.ts';
import { alarmTestSteps } from './alarm-test-calls.ts';
import { alertorSteps } from './alertor-calls.ts';
import { announcementSteps } from './announcement-calls.ts';
import { assetSteps } from './asset-calls.ts';
import { backupSteps } from './backup-calls.ts';
import { billingSteps } from './billing-calls.ts';
import type { Step } from './call-steps.ts';
import { carSteps } from './car-calls.ts';
import { deviceSteps } from './device-calls.ts';
import { escalationPlanSteps } from './escalation-plan-calls.ts';
import { firmwareSteps } from './firmware-calls.ts';
import { geofenceSteps } from './geofence-calls.ts';
import { handoverSteps } from './handover-calls.ts';
import { holidaySteps } from './holiday-calls.ts';
import { importSteps } from './import-calls.ts';
import { jobSteps } from './job-calls.ts';
import { onCallSteps } from './on-call-calls.ts';
import { SCOPES } from './permission-matrix.ts';
import { policySteps } from './policy-calls.ts';
import { profileSteps } from './product-profile-calls.ts';
import { pushSteps } from './push-calls.ts';
import { receiverSteps } from './receiver-calls.ts';
import { recipientGroupSteps } from './recipient-group-calls.ts';
import { renewalSteps } from './renewal-calls.ts';
import { reportSteps } from './report-calls.ts';
import { screenSteps } from './screen-calls.ts';
import { smsProviderSteps } from './sms-provider-calls.ts';
import { suppressionSteps } from './suppression-calls.ts';
import { templateSteps } from './template-calls.ts';
import { type Call, fridge, type Session, TEST_KEY, type TestServer } from './test-server.ts';
import { upkeepSteps } from './upkeep-calls.ts';
import { waybillSteps } from './waybill-calls.ts';
import { clientSteps } from './waybill-client-calls.ts';
import { webcamSteps } from './webcam-calls.ts';
import { wechatSteps } from './wechat-calls.ts';

export interface Prepared {
  call: Call;
  /** A session that the call may end, used instead of the caller's. */
  session?: Session;
  /** Status of the envelope on success; null for anything but a refusal. */
  status: string | null;
  /** Status if the target is outside the caller's scope. */
  outside: string;
  /** Returns whether the response contains the target, for lists. */
  holds(data: unknown): boolean;
}

export interface PreparedCalls {
  /** Prepares a call that is valid except for its caller, for a new target in the organisation `DEMO`. */
  prepare(route: RouteContract, callerName: string): Promise<Prepared>;
  /** True if the target depends on who calls, such as the trips of a driver. */
  isOfCaller(route: RouteContract): boolean;
}

const NUMBER = '40000077';
const MARK = 'matrix-mark';
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** Creates the shared fixture: an asset with an alarm, and records for the lists. */
export async function createCalls(server: TestServer): Promise<PreparedCalls> {
  const { pool } = server;
  let count = 0;
  const unique = () => `${MARK}-${++count}`;

  async function one(sql: string, values: unknown[] = []): Promise<number> {
    const { rows } = await pool.query<{ id: number }>(sql, values);
    if (!rows[0]) throw new Error(`no row: ${sql}`);
    return Number(rows[0].id);
  }

  const manager = await server.logIn('demo.manager');
  const platform = await server.logIn('demo.platform');
  await server.provision(manager, [fridge(NUMBER, { organizationCode: 'DEMO' })]);
  const at = Date.now() - 600_000;
  await server.ingest(NUMBER, TEST_KEY, {
    readings: [9, 9, 9].map((value, i) => ({ channel: 'temperature-1', at: at + i * 60_000, value })),
  });
  const demo = await one(`select id from organization where code = 'DEMO'`);
  const driver = await one(`select id from role where code = 'driver'`);
  const asset = await one(`select asset_id as id from device where number = $1`, [NUMBER]);
  // Its place, by which it is on the map.
  await pool.query('update asset set latitude = 31.2, longitude = 121.4 where id = $1', [asset]);
  const alarm = await one('select id from alarm where asset_id = $1', [asset]);
  const channel = await one('select channel_id as id from alarm where id = $1', [alarm]);
  const logged = await one(`select seq as id from audit_entry where object_id = $1`, [NUMBER]);
  const template = await server.call<{ content: string }>({ path: '/api/user/template', session: platform });
  await pool.query(
    `insert into message (channel, recipient, template, language, organization_id, created_at, status)
     values ('sms', $1, 'verification-code', 'en', $2, now(), 'sent')`,
    [MARK, demo],
  );

  const packet = await one(
    `insert into rejected_message (received_at, organization_id, gateway, format, device_number, address, code,
                                   detail, payload, payload_bytes)
     values (now(), $1, 'tcp', 'packet', $2, $3, 'packet.crc', '{}', '\\xc01d', 2) returning id`,
    [demo, NUMBER, MARK],
  );

  const organization = () =>
    one(
      `with made as (select nextval(pg_get_serial_sequence('organization', 'id')) as id)
       insert into organization (id, parent_id, code, name, level, path) overriding system value
       select made.id, o.id, $1, $1, 'unit', o.path || made.id || '/' from made, organization o where o.id = $2
       returning id`,
      [unique(), demo],
    );
  const user = (over: { organizationId?: number; pending?: boolean; accountType?: string } = {}) =>
    one(
      `with made as (
         insert into account (organization_id, username, realname, password_hash, account_type, pending, disabled_at)
         values ($1, $2, 'Matrix Person', '', $3, $4, case when $5 then now() end) returning id
       ), held as (insert into account_role select made.id, $6 from made)
       select id from made`,
      [
        over.organizationId ?? demo,
        unique(),
        over.accountType ?? 'staff',
        over.pending ?? false,
        false,
        driver,
      ],
    );
  const role = () =>
    one(`insert into role (name, organization_id) values ($1, $2) returning id`, [unique(), demo]);
  const authorization = () =>
    one(
      `insert into machine_authorization (organization_id, name, permissions, key_hash, valid_days, expires_at,
                                          maker_id, created_by, created_at)
       select $1, $2::text, '{}', sha256(convert_to($2::text, 'UTF8')), 365, now() + interval '1 day', id, 'test', now()
         from account where username = 'demo.manager' returning id`,
      [demo, unique()],
    );
  const mapping = () =>
    one(
      `insert into payload_mapping (organization_id, device_model, entries, changed_by, changed_at)
       values ($1, $2, '[]', 'test', now()) returning id`,
      [demo, unique()],
    );
  async function command(state: string): Promise<number> {
    const batch = await one(
      `insert into command_batch (organization_id, command, note, requested_by, requested_at, expires_at)
       values ($1, '{"kind":"reboot"}', $2, 'test', now(), now() + interval '1 day') returning id`,
      [demo, unique()],
    );
    return one(
      `insert into device_command (batch_id, device_id, state, attempts, since)
       select $1, id, $2, 0, now() from device where number = $3 returning id`,
      [batch, state, NUMBER],
    );
  }
  async function registration() {
    const made = await organization();
    const account = await user({ organizationId: made, pending: true });
    return one(
      `insert into registration (account_id, username, realname, organization_id, parent_organization_id, organization_name,
              mobile, role_id, time_zone, address, state, created_at)
       values ($1, $2, 'Matrix Person', $3, $4, 'Matrix', '13800138000', $5, 'UTC', '', 'pending', now()) returning id`,
      [account, unique(), made, demo, driver],
    );
  }
  const brand = () =>
    one(
      `insert into brand (host, title, collapsed_title, page_title, copyright_entity) values ($1, 'T', 'T', 'T', 'T')
       returning id`,
      [`${unique()}.example.org`],
    );
  const dictionary = () => one(`insert into dictionary (code) values ($1) returning id`, [unique()]);
  const menu = () =>
    one(`insert into menu (name, path, component) values ($1, $1, '/link') returning id`, [unique()]);
  const operation = async (menuId: number) =>
    one(`insert into operation (menu_id, code, fullname) values ($1, $2, 'x') returning id`, [
      menuId,
      `${unique()}:view`,
    ]);

  const brandForm = () => ({
    environment: null,
    host: `${unique()}.example.org`,
    title: 'T',
    collapsedTitle: 'T',
    pageTitle: 'T',
    copyrightEntity: 'T',
  });
  const mappingForm = () => ({
    deviceModel: unique(),
    entries: [{ path: 't', channel: 'temperature-1' }],
  });
  const menuForm = () => ({
    parentId: null,
    name: unique(),
    titles: { en: 'Help' },
    path: 'https://example.org',
    component: '/link',
  });
  const organizationForm = () => ({ code: unique(), name: 'Matrix', level: 'unit' });
  const roleForm = () => ({ name: unique(), organizationId: demo, pagePermissions: ['monitor:view'] });
  const userForm = () => ({
    realname: 'Matrix Person',
    organizationId: demo,
    accountType: 'staff',
    roleIds: [driver],
  });
  const why = { reason: 'Because of the matrix' };
  const fresh = async (callerName: string) =>
    callerName === 'nobody' ? undefined : server.logIn(callerName);
  const includes = (text: string) => (data: unknown) => JSON.stringify(data).includes(text);
  const counted = (data: unknown) => (data as { success: number }).success === 1;
  const lastHour = () => ({
    from: new Date(Date.now() - 3_600_000).toISOString(),
    to: new Date().toISOString(),
  });
  const hasRows = (data: unknown) => (data as { rows: number }).rows > 0;

  const organizationStep = (json: object) => async (): Promise<Step> => ({
    params: { id: await organization() },
    json,
    outside: 'organization.not_found',
  });
  const userStep = (json?: () => object) => async (): Promise<Step> => ({
    params: { id: await user() },
    ...(json ? { json: json() } : {}),
    outside: 'user.not_found',
  });
  const mappingStep = (json?: () => object) => async (): Promise<Step> => ({
    params: { id: await mapping() },
    ...(json ? { json: json() } : {}),
    outside: 'mapping.not_found',
  });
  const logoStep = (fields?: Call['fields']) => async (): Promise<Step> => ({
    params: { id: await brand(), place: 'menu' },
    ...(fields ? { fields } : {}),
  });

  const steps: Record<string, (callerName: string) => Promise<Step> | Step> = {
    ...assetSteps({ one, unique, demo, why }),
    ...webcamSteps({ one, unique, demo, why }),
    ...upkeepSteps({ one, unique, demo, why }, { channel, asset, number: NUMBER }),
    ...deviceSteps({ one, unique, demo, why }),
    ...firmwareSteps({ one, unique, demo, why }),
    ...importSteps(pool),
    ...jobSteps(pool),
    ...policySteps({ one, unique, demo, why }, asset, channel),
    ...billingSteps({ one, unique, demo, why }),
    ...renewalSteps({ one, unique, demo, why }),
    ...smsProviderSteps({ one, unique, why }),
    ...(await profileSteps({ one, unique, demo, why }, server)),
    ...(await clientSteps({ one, unique, demo, why }, server)),
    ...geofenceSteps({ one, unique, demo, why }, asset),
    ...carSteps({ one, unique, demo, why }),
    ...screenSteps({ one, unique, demo, why }),
    ...(await waybillSteps({ one, unique, demo, why }, server, asset)),
    ...(await holidaySteps({ one, unique, demo, why }, server)),
    ...(await receiverSteps({ one, unique, demo, why }, server)),
    ...recipientGroupSteps({ one, unique, demo, why }),
    ...escalationPlanSteps({ one, unique, demo, why }),
    ...alarmTestSteps({ one, unique, demo, why }, asset),
    ...reportSteps({ one, unique, demo, why }, asset, PNG),
    ...backupSteps({ one, unique, demo, why }),
    ...announcementSteps({ one, unique, demo, why }),
    ...onCallSteps({ one, unique, demo, why }),
    ...suppressionSteps({ one, unique, demo, why }),
    ...handoverSteps({ one, unique, demo, why }),
    ...alertorSteps({ one, unique, demo, why }),
    ...templateSteps({ one, unique, demo, why }),
    ...wechatSteps({ one, unique, demo, why }),
    ...pushSteps({ one, unique }),
    editAccount: () => ({ fields: { realname: 'Matrix Person' } }),
    setPageSettings: () => ({ json: { pageRefreshInterval: 60, ShowReportWarningInfo: true } }),
    setQuietHours: () => ({ json: { quietHours: { days: [1, 7], from: '22:00', until: '07:00' } } }),
    arrangeDashboard: () => ({ json: { arrangement: { shown: ['alarms'], hidden: [] } } }),
    setLanguage: () => ({ json: { language: 'es' } }),
    setTimeZone: () => ({ fields: { code: 'Asia/Shanghai' } }),
    uploadAvatar: () => ({ fields: { image: { name: 'a.png', bytes: PNG } } }),
    ...alarmSteps(pool, alarm, counted),
    exportAlarms: () => ({ query: { search: NUMBER }, holds: hasRows }),
    analyzeAlarms: () => ({ holds: (data) => (data as AlarmAnalysis).total > 0 }),
    exportAlarmHistory: () => ({ query: { search: NUMBER }, holds: hasRows }),
    orderAlarmHistory: () => ({ json: { search: NUMBER } }),
    orderAlarmMessages: () => ({ json: { search: NUMBER } }),
    orderLogs: () => ({ json: { search: NUMBER } }),
    listAlarmHistory: () => ({ holds: includes(NUMBER) }),
    listAlarms: () => ({ holds: includes(NUMBER) }),
    listAlarmGroups: () => ({ holds: includes(NUMBER) }),
    listAlarmsSince: () => ({ query: { recordedAfter: new Date(0).toISOString() }, holds: includes(NUMBER) }),
    getAsset: () => ({ params: { id: asset }, outside: 'asset.not_found' }),
    listEarlierChannels: () => ({ params: { id: asset }, outside: 'asset.not_found' }),
    listMonitorCards: () => ({ holds: includes(NUMBER) }),
    listSparklines: () => ({ query: { assetIds: String(asset) }, holds: includes(`"assetId":${asset}`) }),
    listMapMarks: () => ({ holds: includes(NUMBER) }),
    getTrack: () => ({ params: { id: asset }, query: lastHour(), outside: 'asset.not_found' }),
    exportTrack: () => ({
      params: { id: asset },
      json: { ...lastHour(), format: 'gpx' },
      outside: 'asset.not_found',
    }),
    exportTracks: () => ({
      json: { assetIds: [asset], ...lastHour(), format: 'gpx' },
      outside: 'asset.not_found',
    }),
    listTrackEvents: () => ({ params: { id: asset }, query: lastHour(), outside: 'asset.not_found' }),
    exportReadings: () => ({
      json: {
        channels: [channel],
        ...lastHour(),
        format: 'csv',
        zone: 'UTC',
      },
      outside: 'channel.not_found',
      holds: includes(`F-${NUMBER}`),
    }),
    orderReadingsExport: () => ({
      json: { channels: [channel], ...lastHour(), format: 'csv', zone: 'UTC' },
      outside: 'channel.not_found',
    }),
    getRecordReport: () => ({
      query: { ...lastHour(), assets: String(asset) },
      outside: 'asset.not_found',
      holds: includes(NUMBER),
    }),
    orderRecordReport: () => ({
      json: { assets: [asset], ...lastHour(), format: 'csv', zone: 'UTC' },
      outside: 'asset.not_found',
    }),
    listDailyReviews: () => ({ query: { ...lastHour(), assets: String(asset) }, outside: 'asset.not_found' }),
    // A day without readings, of the time zone of the demo organisations. The first rules of a channel are always in force.
    reviewDays: () => ({
      json: {
        initials: 'MX',
        days: [
          {
            channelId: channel,
            day: '2026-01-05',
            from: '2026-01-04T16:00:00.000Z',
            to: '2026-01-05T16:00:00.000Z',
            count: 0,
            min: null,
            max: null,
            outsideMs: 0,
          },
        ],
      },
      outside: 'channel.not_found',
    }),
    ...Object.fromEntries(
      ['getAlarmReport', 'getDeviceReport'].map((name) => [
        name,
        () => ({
          query: { ...lastHour(), assets: String(asset) },
          outside: 'asset.not_found',
          holds: includes(NUMBER),
        }),
      ]),
    ),
    ...Object.fromEntries(
      ['orderAlarmReport', 'orderDeviceReport'].map((name) => [
        name,
        () => ({
          json: { assets: [asset], ...lastHour(), format: 'csv', zone: 'UTC' },
          outside: 'asset.not_found',
        }),
      ]),
    ),
    getStatistics: () => ({
      query: { ...lastHour(), organizationId: String(demo) },
      outside: 'organization.not_found',
    }),
    orderStatistics: () => ({
      json: { ...lastHour(), organizationId: demo, format: 'csv', zone: 'UTC' },
      outside: 'organization.not_found',
    }),
    getComplianceReport: () => ({
      query: { ...lastHour(), assets: String(asset) },
      outside: 'asset.not_found',
      holds: includes(NUMBER),
    }),
    orderComplianceReport: () => ({
      json: { assets: [asset], ...lastHour(), format: 'csv', zone: 'UTC' },
      outside: 'asset.not_found',
    }),
    getAggregates: () => ({
      query: {
        channels: String(channel),
        from: new Date(Date.now() - 3_600_000).toISOString(),
        to: new Date().toISOString(),
        period: 'hour',
        zone: 'Asia/Shanghai',
      },
      outside: 'channel.not_found',
    }),
    getCurve: () => ({
      query: {
        channels: String(channel),
        from: new Date(Date.now() - 3_600_000).toISOString(),
        to: new Date().toISOString(),
      },
      outside: 'channel.not_found',
    }),
    createAuthorization: () => ({
      json: { name: unique(), organizationId: demo, permissions: ['monitor:view'], kind: 'key' },
      outside: 'organization.not_found',
    }),
    async listAuthorizations() {
      await authorization();
      return { query: { search: MARK }, holds: includes(MARK) };
    },
    renewAuthorization: async () => ({
      params: { id: await authorization() },
      outside: 'authorization.not_found',
    }),
    revokeAuthorization: async () => ({
      params: { id: await authorization() },
      json: why,
      outside: 'authorization.not_found',
    }),
    createBrand: () => ({ json: brandForm() }),
    deleteBrand: async () => ({ params: { id: await brand() } }),
    editBrand: async () => ({ params: { id: await brand() }, json: brandForm() }),
    removeBrandLogo: logoStep(),
    uploadBrandLogo: logoStep({ image: { name: 'a.png', bytes: PNG } }),
    sendCommands: () => ({
      json: { devices: [NUMBER], order: { kind: 'reboot' } },
      holds: (data) => (data as { batch: unknown }).batch !== null,
    }),
    async listCommands() {
      await command('success');
      return { query: { search: NUMBER }, holds: includes(NUMBER) };
    },
    async getCommandBatch() {
      const id = await command('success');
      return {
        params: { id: await one('select batch_id as id from device_command where id = $1', [id]) },
        outside: 'command.not_found',
      };
    },
    retryCommands: async () => ({
      json: { ids: [await command('failed')] },
      holds: (data) => (data as { again: number }).again === 1,
    }),
    cancelCommands: async () => ({
      json: { ids: [await command('reserved')] },
      holds: (data) => (data as { cancelled: number }).cancelled === 1,
    }),
    findDevices: () => ({ query: { search: NUMBER }, holds: includes(NUMBER) }),
    async listPayloadMappings() {
      await mapping();
      return { query: { search: MARK }, holds: includes(MARK) };
    },
    async listDeviceModels() {
      await pool.query('update device set model = $1 where number = $2', [MARK, NUMBER]);
      return { holds: includes(MARK) };
    },
    getPayloadMapping: mappingStep(),
    createPayloadMapping: () => ({
      json: { organizationId: demo, ...mappingForm() },
      outside: 'organization.not_found',
    }),
    editPayloadMapping: mappingStep(mappingForm),
    deletePayloadMapping: mappingStep(() => why),
    tryPayloadMapping: () => ({ json: { format: 'thingsboard', payload: '{}' } }),
    provisionDevices: () => ({
      json: { items: [fridge(NUMBER, { organizationCode: 'DEMO' })] },
      outside: 'device.number_taken',
    }),
    createDictionary: () => ({ json: { code: unique(), titles: {} } }),
    deleteDictionary: async () => ({ params: { id: await dictionary() } }),
    editDictionary: async () => ({ params: { id: await dictionary() }, json: { titles: {}, items: [] } }),
    getDictionaryOptions: () => ({ params: { code: 'disable-reason' } }),
    logout: async (callerName) => ({ session: await fresh(callerName) }),
    refreshToken: async (callerName) => ({ session: await fresh(callerName) }),
    exportLogs: () => ({ query: { objectId: NUMBER }, holds: hasRows }),
    getLog: () => ({ params: { id: logged }, outside: 'log.not_found' }),
    // By the object: what callers of other organisations have searched for is in their own entries.
    listLogs: () => ({ query: { objectId: NUMBER }, holds: includes(NUMBER) }),
    explainPacket: () => ({ json: { hex: 'c01d' } }),
    getPacket: () => ({ params: { id: packet }, outside: 'packet.not_found' }),
    listPackets: () => ({ query: { search: MARK }, holds: includes(MARK) }),
    listMailbox: () => ({ query: { search: MARK }, holds: includes(MARK) }),
    createMenu: () => ({ json: menuForm() }),
    deleteMenu: async () => ({ params: { id: await menu() } }),
    editMenu: async () => ({ params: { id: await menu() }, json: menuForm() }),
    moveMenu: async () => ({ params: { id: await menu() }, json: { parentId: null, position: 0 } }),
    createOperation: async () => ({
      params: { menuId: await menu() },
      fields: { code: `${unique()}:view`, fullname: 'x' },
    }),
    deleteOperation: async () => ({ params: { id: await operation(await menu()) } }),
    async editOperation() {
      const page = await menu();
      return {
        params: { id: await operation(page) },
        fields: { menuid: String(page), code: `${unique()}:edit`, fullname: 'x' },
      };
    },
    getOperation: async () => ({ params: { id: await operation(await menu()) } }),
    getOperationTree: () => ({ params: { id: 0 } }),
    listOperations: async () => ({ params: { menuId: await menu() } }),
    createOrganization: () => ({
      json: { ...organizationForm(), parentId: demo },
      outside: 'organization.not_found',
    }),
    deleteOrganization: organizationStep(why),
    editOrganization: async () => ({
      params: { id: await organization() },
      json: organizationForm(),
      outside: 'organization.not_found',
    }),
    getOrganization: async () => ({
      params: { id: await organization() },
      outside: 'organization.not_found',
    }),
    async listOrganizations() {
      await organization();
      return { holds: includes(MARK) };
    },
    moveOrganization: async () => ({
      params: { id: await organization() },
      json: { parentId: demo },
      outside: 'organization.not_found',
    }),
    approveRegistration: async () => ({
      params: { id: await registration() },
      outside: 'registration.not_found',
    }),
    async listRegistrations() {
      await registration();
      return { query: { search: MARK }, holds: includes(MARK) };
    },
    rejectRegistration: async () => ({
      params: { id: await registration() },
      json: why,
      outside: 'registration.not_found',
    }),
    setRegistrationSettings: () => ({
      json: { enabled: false, approval: true, roleIds: [], parentOrganizationId: null },
    }),
    createRole: () => ({ json: roleForm(), outside: 'organization.not_found' }),
    deleteRole: async () => ({ params: { id: await role() }, json: why, outside: 'role.not_found' }),
    editRole: async () => ({ params: { id: await role() }, json: roleForm(), outside: 'role.not_found' }),
    getRole: async () => ({ params: { id: await role() }, outside: 'role.not_found' }),
    listRoleHolders: async () => ({ params: { id: await role() }, outside: 'role.not_found' }),
    async listRoles() {
      const id = await role();
      return { holds: includes(`"id":${id},"code":null`) };
    },
    getPagePermissions: () => ({ query: { menuname: 'monitor' } }),
    createUser: () => ({ json: { ...userForm(), username: unique() }, outside: 'organization.not_found' }),
    deleteUser: userStep(() => why),
    disableUsers: async () => ({ json: { ids: [await user()], ...why }, holds: counted }),
    editUser: userStep(userForm),
    async enableUsers() {
      const id = await user();
      await pool.query('update account set disabled_at = now() where id = $1', [id]);
      return { json: { ids: [id] }, holds: counted };
    },
    endUserSessions: userStep(),
    async exportUsers() {
      await user();
      return { query: { search: MARK }, holds: hasRows };
    },
    getUser: userStep(),
    importUsers: () => ({
      fields: {
        file: { name: 'users.xlsx', bytes: Buffer.from(template.data.content, 'base64') },
        dryRun: 'true',
      },
    }),
    async listAgents() {
      const id = await user({ accountType: 'agent' });
      return { holds: includes(`"id":${id},`) };
    },
    listUserSessions: userStep(),
    async listUsers() {
      await user();
      return { query: { search: MARK }, holds: includes(MARK) };
    },
    resetUserPassword: userStep(() => ({})),
    unlockUser: userStep(),
  };

  return {
    // Only a step with this parameter knows the name.
    isOfCaller: (route) => (steps[route.name]?.length ?? 0) > 0,
    async prepare(route, callerName) {
      const step = (await steps[route.name]?.(callerName)) ?? plainStep(route);
      const path = route.path.replace(/:(\w+)/g, (_match, name: string) => String(step.params?.[name] ?? 1));
      const { query, json, fields, session, status = '1', outside = '', holds = () => true } = step;
      return {
        call: {
          method: route.method,
          path: `/api${path}`,
          ...(query ? { query } : {}),
          ...(json !== undefined ? { json } : {}),
          ...(fields ? { fields } : {}),
        },
        ...(session ? { session } : {}),
        status,
        outside,
        holds,
      };
    },
  };
}

/**
 * Returns the step for routes without a step above: with no input, or with input (passwords, codes) that
 * this test cannot provide.
 */
function plainStep(route: RouteContract): Step {
  const hasBody = !route.body.safeParse(undefined).success;
  const isLoose = route.access === PUBLIC || (hasBody && SCOPES[route.name] === 'own');
  return {
    ...(route.encoding === 'multipart' ? { fields: { v: '1' } } : {}),
    ...(isLoose ? { status: null } : {}),
  };
}
