import { createHash, randomBytes } from 'node:crypto';
import { AppError } from '@isotherm/contracts/errors';
import type { ResponseOf } from '@isotherm/contracts/route';
import type {
  testWechat,
  WechatAccount,
  WechatAccountInput,
  WechatBinding,
  WechatCode,
} from '@isotherm/contracts/wechat';
import type { Person } from '@isotherm/domain/alarms/person';
import { textAt } from '@isotherm/domain/notifications/sms-provider';
import { WECHAT_CODE_LIFE_MS, type WechatEvent, wechatData } from '@isotherm/domain/notifications/wechat';
import type { Translate } from '@isotherm/i18n/translator';
import type pg from 'pg';
import type { Audit } from '../../../platform/audit/audit.ts';
import type { Clock } from '../../../platform/clock.ts';
import { type Db, type Tx, transaction } from '../../../platform/db/pool.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import type { Sealing } from '../../../platform/sealing.ts';
import {
  countBound,
  deleteBinding,
  findBinding,
  findOpenIds,
  findReceiverName,
  findWechatAccount,
  insertCode,
  saveBinding,
  saveSubscribed,
  saveWechatAccountRow,
  takeCode,
  type WechatAccountRow,
} from './wechat.repo.ts';
import { readAesKey } from './wechat-cipher.ts';
import { WECHAT_PURPOSE, type WechatClient } from './wechat-client.ts';
import { WECHAT_PATH } from './wechat-door.ts';
import type { WechatGateway } from './wechat-gateway.ts';

/** A person whose WeChat a caller manages. */
interface Subject {
  person: Person;
  name: string;
  organizationPath: string;
}

export interface WechatService {
  account(): Promise<{ account: WechatAccount | null }>;
  /** Throws `wechat.url|template|fields|aes_key|secret_needed`. */
  save(caller: Caller, form: WechatAccountInput): Promise<WechatAccount>;
  /** Throws `wechat.not_configured|not_bound`. */
  test(caller: Caller): Promise<ResponseOf<typeof testWechat>>;
  own(caller: Caller): Subject;
  /** Throws `receiver.not_found`. */
  receiver(caller: Caller, id: number): Promise<Subject>;
  binding(subject: Subject): Promise<WechatBinding>;
  /** Throws `wechat.not_configured`, `wechat.unavailable`. */
  createCode(caller: Caller, subject: Subject): Promise<WechatCode>;
  /** Throws `wechat.not_bound`. */
  unbind(caller: Caller, subject: Subject): Promise<null>;
  /** Takes a verified callback: binds the person whose QR code was scanned. */
  take(account: WechatAccountRow, event: WechatEvent): Promise<void>;
}

/** Name in the log of bindings, which WeChat reports. */
const WECHAT_ACTOR = 'wechat';
const QR_PATH = '/cgi-bin/qrcode/create';
const hashOf = (scene: string) => createHash('sha256').update(scene).digest();

export function createWechatService(parts: {
  pool: pg.Pool;
  audit: Pick<Audit, 'record' | 'recordAlone'>;
  sealing: Pick<Sealing, 'seal' | 'open'>;
  client: WechatClient;
  gateway: WechatGateway;
  clock: Clock;
  translate: Translate;
  /** Address of this server; null if it is not known. */
  origin: string | null;
}): WechatService {
  const { pool, audit, sealing, client, gateway, clock, translate, origin } = parts;
  const seal = (text: string) => sealing.seal(WECHAT_PURPOSE, Buffer.from(text));

  async function configured(db: Db): Promise<WechatAccountRow> {
    const row = await findWechatAccount(db);
    if (!row?.enabled) throw new AppError('wechat.not_configured');
    return row;
  }

  async function viewOf(row: WechatAccountRow): Promise<WechatAccount> {
    const { sealedSecret: _, sealedToken: __, sealedAesKey, secretChangedAt: ___, changedAt, ...view } = row;
    return {
      ...view,
      hasAesKey: sealedAesKey !== null,
      callbackUrl: origin && `${origin}${WECHAT_PATH}`,
      people: await countBound(pool, row.appId),
      changedAt: changedAt.toISOString(),
    };
  }

  const objectOf = ({ person, name, organizationPath }: Subject) => ({
    objectKind: 'wechat-binding',
    objectId: person.id,
    objectName: name,
    organizationPath,
  });

  async function subjectOf(tx: Tx, person: Person): Promise<Subject> {
    const { rows } = await tx.query<{ name: string; organizationPath: string }>(
      `select x.name, o.path as "organizationPath"
         from (select name, organization_id from alarm_receiver where $1 = 'receivers' and id = $2
               union all
               select realname, organization_id from account where $1 = 'accounts' and id = $2) x
         join organization o on o.id = x.organization_id`,
      [person.type, person.id],
    );
    return { person, name: rows[0]?.name ?? '', organizationPath: rows[0]?.organizationPath ?? '/' };
  }

  return {
    async account() {
      const row = await findWechatAccount(pool);
      return { account: row && (await viewOf(row)) };
    },
    async save(caller, form) {
      const row = await transaction(pool, async (tx) => {
        const before = await findWechatAccount(tx);
        check(form, before);
        const { secret, token, aesKey, ...fields } = form;
        const now = new Date(clock.now());
        const hasNewSecret = secret !== '' || token !== '' || aesKey !== '';
        const after: WechatAccountRow = {
          ...fields,
          sealedSecret: secret === '' && before ? before.sealedSecret : seal(secret),
          sealedToken: token === '' && before ? before.sealedToken : seal(token),
          sealedAesKey: aesKey === '' ? (before?.sealedAesKey ?? null) : seal(aesKey),
          secretChangedAt: hasNewSecret || !before ? now : before.secretChangedAt,
          changedBy: caller.username,
          changedAt: now,
        };
        await saveWechatAccountRow(tx, after);
        await audit.record(tx, caller, {
          action: before ? 'change' : 'create',
          objectKind: 'wechat-account',
          objectId: 1,
          objectName: after.appId,
          organizationPath: caller.scope,
          ...(before ? { before: loggedOf(before) } : {}),
          after: loggedOf(after),
        });
        return after;
      });
      return viewOf(row);
    },
    async test(caller) {
      const account = await configured(pool);
      const { person, name } = this.own(caller);
      const [bound] = await findOpenIds(pool, [person], account.appId);
      if (!bound) throw new AppError('wechat.not_bound');
      // Before the attempt, so that none is made without its entry.
      await audit.recordAlone(caller, {
        action: 'send-message',
        objectKind: 'wechat-account',
        objectId: 1,
        objectName: account.appId,
        organizationPath: caller.scope,
        after: { name },
      });
      const { language } = caller;
      const asset = translate(language, 'channels.test.asset');
      const outcome = await gateway.send({
        id: `test-${clock.now()}`,
        openId: bound.openId,
        language,
        variables: {
          what: 'test',
          level: '1',
          asset,
          fault: '-',
          value: '-',
          time: '-',
          text: translate(language, 'channels.test.text'),
        },
        url: null,
      });
      return { outcome: outcome.kind, error: 'error' in outcome ? outcome.error : '' };
    },
    own: ({ accountId, realname, scope }) => ({
      person: { type: 'accounts', id: accountId ?? 0 },
      name: realname,
      organizationPath: scope,
    }),
    async receiver(caller, id) {
      const found = await findReceiverName(pool, caller.scope, id);
      if (!found) throw new AppError('receiver.not_found');
      return { person: { type: 'receivers', id }, ...found };
    },
    async binding({ person }) {
      const account = await findWechatAccount(pool);
      const row = account && (await findBinding(pool, person, account.appId));
      return {
        isOffered: account?.enabled ?? false,
        boundAt: row?.boundAt.toISOString() ?? null,
        isSubscribed: row?.isSubscribed ?? false,
      };
    },
    async createCode(caller, subject) {
      const account = await configured(pool);
      const scene = randomBytes(16).toString('base64url');
      const expiresAt = new Date(clock.now() + WECHAT_CODE_LIFE_MS);
      await transaction(pool, async (tx) => {
        await insertCode(tx, { sceneHash: hashOf(scene), person: subject.person, expiresAt });
        await audit.record(tx, caller, { action: 'create', ...objectOf(subject), after: { code: 'QR' } });
      });
      const result = await client.post(account, QR_PATH, {
        expire_seconds: WECHAT_CODE_LIFE_MS / 1000,
        action_name: 'QR_STR_SCENE',
        action_info: { scene: { scene_str: scene } },
      });
      const url = result.kind === 'done' ? textAt(result.body, 'url') : null;
      if (url === null || !/^https?:\/\//.test(url))
        throw new AppError('wechat.unavailable', { error: 'error' in result ? result.error : 'no address' });
      return { url, expiresAt: expiresAt.toISOString() };
    },
    async unbind(caller, subject) {
      await transaction(pool, async (tx) => {
        if (!(await deleteBinding(tx, subject.person))) throw new AppError('wechat.not_bound');
        await audit.record(tx, caller, { action: 'delete', ...objectOf(subject) });
      });
      return null;
    },
    async take(account, { openId, event, scene }) {
      await saveSubscribed(pool, openId, event !== 'unsubscribe');
      if (event === 'unsubscribe' || scene === '') return;
      await transaction(pool, async (tx) => {
        const now = new Date(clock.now());
        const person = await takeCode(tx, hashOf(scene), openId, now);
        if (!person) return;
        const before = await findBinding(tx, person, account.appId);
        await saveBinding(tx, person, { appId: account.appId, openId, now });
        const after = await findBinding(tx, person, account.appId);
        if (before?.boundAt.getTime() === after?.boundAt.getTime()) return;
        await audit.record(
          tx,
          { accountId: null, username: WECHAT_ACTOR, sessionId: null, address: '' },
          { action: 'create', ...objectOf(await subjectOf(tx, person)) },
        );
      });
    },
  };
}

/** Checks what depends on several fields. */
function check(form: WechatAccountInput, before: WechatAccountRow | null): void {
  const url = URL.canParse(form.url) ? new URL(form.url) : null;
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.username !== '' || url.password !== '')
    throw new AppError('wechat.url');
  const { templateZhCn, templateZhTw, templateEn, templateEs, secret, token, aesKey } = form;
  if (![templateZhCn, templateZhTw, templateEn, templateEs].some((each) => each !== ''))
    throw new AppError('wechat.template');
  if (wechatData(form.fields, {}) === null)
    throw new AppError('wechat.fields', { example: '{"thing1": "{{asset}}", "time2": "{{time}}"}' });
  if (aesKey !== '' && readAesKey(aesKey) === null) throw new AppError('wechat.aes_key');
  // The stored secret is never sent to an address, or for an account, for which it was not entered.
  const isSame = before !== null && before.appId === form.appId && new URL(before.url).origin === url.origin;
  if (!isSame && (secret === '' || token === '')) throw new AppError('wechat.secret_needed');
}

/** Fields in audit entries. The time of the secrets shows that they were changed. */
const loggedOf = ({ sealedSecret: _, sealedToken: __, sealedAesKey, ...row }: WechatAccountRow) => ({
  enabled: row.enabled,
  url: row.url,
  keyId: row.appId,
  templateZhCn: row.templateZhCn,
  templateZhTw: row.templateZhTw,
  templateEn: row.templateEn,
  templateEs: row.templateEs,
  body: row.fields,
  secureMode: sealedAesKey !== null,
  credentialsAt: row.secretChangedAt.toISOString(),
});
