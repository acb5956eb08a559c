import { ALL_ROUTES } from '@isotherm/contracts/routes';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { codeSentTo } from './testing/codes.ts';
import { people } from './testing/people.ts';
import {
  type Answer,
  DEMO_PASSWORD,
  type Session,
  startTestServer,
  type TestServer,
} from './testing/test-server.ts';

/**
 * The rows of requirements §7 in order: method, path, request, response. Each call is made to the real
 * server; `sends` and `answers` are the names in §7.
 */
const PROFILE = [
  'username',
  'realname',
  'photo',
  'isAdmin',
  'isShareBalance',
  'accountType',
  'organizationId',
  'organizationName',
  'companyId',
  'organizationHierarchy',
  'webSetting',
  'pageRefreshInterval',
  'ReportCheckTimeRange',
  'ShowReportWarningInfo',
  'defaultReportLogo',
  'timeZoneCode',
  'timeZoneOffset',
];
const OPERATION = ['code', 'fullname', 'nameEnglish', 'nameSpanish', 'sortcode', 'description'];

interface Row {
  call: string;
  sends?: readonly string[];
  multipart?: boolean;
  answers?: readonly string[];
  /** Returns input values that are specific to this test run. */
  input?: () => Promise<Input> | Input;
}
interface Input {
  params?: Record<string, string | number>;
  query?: Record<string, string>;
  fields?: Record<string, string | { name: string; bytes: Uint8Array }>;
  session?: Session | null;
}

let server: TestServer;
let platform: Session;
let own: Session;
let menuId: number;
let operationId: number;
const PHONE = '13400134000';
const NEW_PHONE = '13400134001';

beforeAll(async () => {
  server = await startTestServer({ environment: { ISOTHERM_ENVIRONMENT: 'sandbox' } });
  platform = await server.logIn('demo.platform');
  own = await people(server, platform).account('seven.calls', 'operator', 'DEMO', { mobile: PHONE });
  const menus = await server.call<{ id: number; name: string }[]>({ path: '/api/menu', session: platform });
  menuId = menus.data.find((menu) => menu.name === 'monitor')?.id as number;
});
afterAll(() => server.stop());

const ROWS: readonly Row[] = [
  {
    call: 'POST /auth/login',
    multipart: true,
    sends: ['username', 'password', 'serviceloginkey', 'identifier', 'v'],
    answers: ['token', 'tokentime', ...PROFILE],
    input: async () => {
      const { nonce, ciphers } = await server.encrypt(DEMO_PASSWORD);
      return {
        session: null,
        fields: {
          username: 'demo.keeper',
          password: ciphers[0] as string,
          serviceloginkey: nonce,
          identifier: 'browser-1',
          v: 'v1.0.0',
        },
      };
    },
  },
  { call: 'GET /auth/info', answers: PROFILE },
  {
    call: 'GET /auth/token',
    answers: ['token', 'tokentime'],
    input: async () => ({ session: await server.logIn('demo.keeper') }),
  },
  {
    call: 'POST /sms/code',
    multipart: true,
    sends: ['username', 'phone', 'actiontype'],
    input: () => ({
      session: null,
      fields: { username: 'seven.calls', phone: PHONE, actiontype: 'forgetpassword' },
    }),
  },
  {
    call: 'POST /auth/forgetpassword',
    multipart: true,
    sends: ['username', 'phone', 'code', 'password'],
    input: async () => {
      const { nonce, ciphers } = await server.encrypt('Kettle-and-7-cups');
      return {
        session: null,
        fields: {
          username: 'seven.calls',
          phone: PHONE,
          code: await codeSentTo(server, platform, PHONE),
          password: ciphers[0] as string,
          serviceloginkey: nonce,
        },
      };
    },
  },
  {
    call: 'POST /sms/codewithauth',
    multipart: true,
    sends: ['userId', 'oldPhone', 'newPhone', 'actiontype'],
    input: async () => {
      own = await server.logIn('seven.calls', 'Kettle-and-7-cups');
      return { session: own, fields: { oldPhone: PHONE, newPhone: NEW_PHONE, actiontype: 'changephone' } };
    },
  },
  { call: 'GET /operation/tree/{id}', input: () => ({ params: { id: 0 } }) },
  { call: 'GET /operation/list/{menuId}', input: () => ({ params: { menuId } }) },
  {
    call: 'POST /operation/{menuId}',
    multipart: true,
    sends: OPERATION,
    answers: ['id', 'menuid', ...OPERATION],
    input: () => ({
      params: { menuId },
      fields: {
        code: 'monitor:print',
        fullname: '打印',
        nameEnglish: 'Print',
        nameSpanish: 'Imprimir',
        sortcode: '9',
        description: '',
      },
    }),
  },
  {
    call: 'GET /operation/info/{id}',
    answers: ['id', ...OPERATION],
    input: async () => {
      const list = await server.call<{ id: number; code: string }[]>({
        path: `/api/operation/list/${menuId}`,
        session: platform,
      });
      operationId = list.data.find((operation) => operation.code === 'monitor:print')?.id as number;
      return { params: { id: operationId } };
    },
  },
  {
    call: 'PUT /operation/{id}',
    multipart: true,
    sends: ['menuid', ...OPERATION],
    answers: ['id', 'menuid', ...OPERATION],
    input: () => ({
      params: { id: operationId },
      fields: {
        menuid: String(menuId),
        code: 'monitor:print',
        fullname: '打印墙',
        nameEnglish: 'Print the wall',
        nameSpanish: 'Imprimir',
        sortcode: '8',
        description: 'A4',
      },
    }),
  },
  { call: 'DELETE /operation/{id}', input: () => ({ params: { id: operationId } }) },
  {
    call: 'GET /operation/permission',
    sends: ['menuname'],
    answers: ['permissions', 'unreadAnnouncements'],
    input: () => ({ query: { menuname: 'monitor' } }),
  },
  { call: 'GET /renewalnotice/web', answers: ['IsShow', 'DeviceExpiredNum'] },
  { call: 'PUT /renewalnotice/read' },
  { call: 'GET /account', answers: ['username', 'realname', 'mobile', 'landline', 'email'] },
  {
    call: 'PUT /account',
    multipart: true,
    sends: ['realname', 'mobile', 'landline', 'email', 'address', 'description'],
    answers: ['realname', 'mobile'],
    input: () => ({
      session: own,
      fields: {
        realname: 'Seven Calls',
        mobile: PHONE,
        landline: '021-12345678',
        email: 'seven@example.org',
        address: 'Here',
        description: 'None',
      },
    }),
  },
  {
    call: 'POST /fileupload/avatar',
    multipart: true,
    sends: ['image'],
    input: async () => ({
      session: own,
      fields: {
        image: {
          name: 'me.png',
          bytes: await sharp({ create: { width: 9, height: 9, channels: 3, background: '#fff' } })
            .png()
            .toBuffer(),
        },
      },
    }),
  },
  {
    call: 'PUT /account/telephone',
    multipart: true,
    sends: ['oldPhone', 'newPhone', 'code'],
    answers: ['mobile'],
    input: async () => ({
      session: own,
      fields: { oldPhone: PHONE, newPhone: NEW_PHONE, code: await codeSentTo(server, platform, NEW_PHONE) },
    }),
  },
  { call: 'GET /account/timezone', answers: ['code'] },
  {
    call: 'PUT /account/timezone',
    multipart: true,
    sends: ['code'],
    input: () => ({ fields: { code: 'Asia/Shanghai' } }),
  },
  { call: 'GET /menu/routerinfo', sends: ['showall'], input: () => ({ query: { showall: 'true' } }) },
  { call: 'GET /sysconfig' },
];

describe('Calls of requirements §7', () => {
  it.each(ROWS.map((row) => [row.call, row] as const))(
    'the call works as required: %s',
    async (call, row) => {
      const [method = '', path = ''] = call.split(' ');
      const contract = ALL_ROUTES.find(
        (route) => route.method === method && route.path === path.replace(/\{(\w+)\}/g, ':$1'),
      );
      expect(contract, 'a contract with this method and path').toBeDefined();
      expect(contract?.encoding).toBe(row.multipart ? 'multipart' : 'json');
      const accepts = Object.keys({ ...shapeOf(contract?.body), ...shapeOf(contract?.query) });
      expect(accepts).toEqual(expect.arrayContaining([...(row.sends ?? [])]));

      const { params = {}, session = platform, ...input } = (await row.input?.()) ?? {};
      const answer: Answer = await server.call({
        method,
        path: `/api${path.replace(/\{(\w+)\}/g, (_, name: string) => String(params[name]))}`,
        session,
        ...input,
      });
      expect(answer).toMatchObject({ httpStatus: 200, status: '1', message: '' });
      expect(Object.keys((answer.data ?? {}) as object)).toEqual(
        expect.arrayContaining([...(row.answers ?? [])]),
      );
    },
  );

  it('/auth/login, /registered/angent and /role/registered need no token', async () => {
    for (const path of ['/api/registered/angent', '/api/role/registered'])
      expect(await server.call({ path })).toMatchObject({ status: '1' });
  });

  it('GET /menu/routerinfo returns path, component, optional children, hidden, meta with title, icon, affix, noCache', async () => {
    const { data } = await server.call<Record<string, unknown>[]>({
      path: '/api/menu/routerinfo',
      query: { showall: 'true' },
      session: platform,
    });
    expect(data[0]).toMatchObject({
      path: expect.any(String),
      component: expect.any(String),
      hidden: false,
      meta: { title: expect.any(String), icon: expect.any(String), affix: false, noCache: false },
      children: expect.any(Array),
    });
  });

  it('a login with status -9 requires the slider puzzle', async () => {
    const statuses = [];
    for (let i = 0; i < 3; i++) {
      const answer = await server.tryLogIn('nobody.here', 'wrong');
      statuses.push(answer.status);
    }
    expect(statuses.at(-1)).toBe('-9');
  });
});

function shapeOf(schema: z.ZodType | undefined): Record<string, unknown> {
  return schema instanceof z.ZodObject ? schema.shape : {};
}
