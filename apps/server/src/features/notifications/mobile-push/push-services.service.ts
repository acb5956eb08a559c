import { createPrivateKey } from 'node:crypto';
import { AppError } from '@isotherm/contracts/errors';
import type {
  ApnsInput,
  ApnsView,
  FcmInput,
  FcmView,
  testPushService,
} from '@isotherm/contracts/push-services';
import type { ResponseOf } from '@isotherm/contracts/route';
import type { AppNotification, PushService } from '@isotherm/domain/notifications/mobile-push';
import type { Language } from '@isotherm/i18n/languages';
import type { Translate } from '@isotherm/i18n/translator';
import type pg from 'pg';
import type { Audit } from '../../../platform/audit/audit.ts';
import type { Clock } from '../../../platform/clock.ts';
import { type Tx, transaction } from '../../../platform/db/pool.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import { jsonObjectOf } from '../../../platform/json.ts';
import type { Sealing } from '../../../platform/sealing.ts';
import { type AppGateway, KEY_PURPOSE } from './app-gateway.ts';
import { listApps } from './push-apps.repo.ts';
import {
  type ApnsRow,
  countApps,
  type FcmRow,
  type FcmSettings,
  findService,
  lockServices,
  type PushServiceRow,
  saveService,
} from './push-services.repo.ts';

export interface PushServicesService {
  services(): Promise<{ fcm: FcmView | null; apns: ApnsView | null }>;
  /** Throws `push_service.url|credentials|secret_needed`. */
  saveFcm(caller: Caller, form: FcmInput): Promise<FcmView>;
  /** Throws `push_service.url|key|secret_needed`. */
  saveApns(caller: Caller, form: ApnsInput): Promise<ApnsView>;
  /** Throws `push_service.not_configured`. */
  test(caller: Caller, service: PushService): Promise<ResponseOf<typeof testPushService>>;
}

const NAMES: Readonly<Record<PushService, string>> = { fcm: 'FCM', apns: 'APNs' };

/** Content of a test notification in the language of the caller. */
export const testNotification = (language: Language, translate: Translate, now: number): AppNotification => ({
  title: translate(language, 'push.test.title'),
  text: translate(language, 'push-apps.test.text'),
  tag: 'test',
  path: '/management/account',
  at: now,
  acknowledge: null,
});

export function createPushServicesService(parts: {
  pool: pg.Pool;
  audit: Pick<Audit, 'record' | 'recordAlone'>;
  sealing: Pick<Sealing, 'seal'>;
  gateway: AppGateway;
  clock: Clock;
  translate: Translate;
}): PushServicesService {
  const { pool, audit, sealing, gateway, clock, translate } = parts;

  const objectOf = (service: PushService, caller: Caller) => ({
    objectKind: 'push-service',
    objectId: service === 'fcm' ? 1 : 2,
    objectName: NAMES[service],
    organizationPath: caller.scope,
  });

  const viewOf = async ({ enabled, url, changedBy, changedAt, service }: PushServiceRow) => ({
    enabled,
    url,
    changedBy,
    changedAt: changedAt.toISOString(),
    apps: await countApps(pool, service),
  });
  const fcmView = async (row: FcmRow): Promise<FcmView> => {
    const { projectId, clientEmail } = row.settings;
    return { ...(await viewOf(row)), projectId, clientEmail };
  };
  const apnsView = async (row: ApnsRow): Promise<ApnsView> => ({ ...(await viewOf(row)), ...row.settings });

  /** Stores a service with a new secret, or with the stored one. */
  async function save<R extends PushServiceRow>(
    tx: Tx,
    caller: Caller,
    before: R | null,
    next: Omit<R, 'sealedSecret' | 'secretChangedAt' | 'changedBy' | 'changedAt'> & { secret: string },
  ): Promise<R> {
    const now = new Date(clock.now());
    const { secret, ...fields } = next;
    const isKept = secret === '' && before !== null;
    const row = {
      ...fields,
      sealedSecret: isKept ? before.sealedSecret : sealing.seal(KEY_PURPOSE, Buffer.from(secret)),
      secretChangedAt: isKept ? before.secretChangedAt : now,
      changedBy: caller.username,
      changedAt: now,
    } as unknown as R;
    await saveService(tx, row);
    await audit.record(tx, caller, {
      action: before ? 'change' : 'create',
      ...objectOf(row.service, caller),
      ...(before ? { before: loggedOf(before) } : {}),
      after: loggedOf(row),
    });
    return row;
  }

  return {
    async services() {
      const [fcm, apns] = [await findService(pool, 'fcm'), await findService(pool, 'apns')];
      return { fcm: fcm && (await fcmView(fcm)), apns: apns && (await apnsView(apns)) };
    },
    async saveFcm(caller, { enabled, url, credentials }) {
      checkUrl(url);
      const account = credentials === '' ? null : accountOf(credentials);
      const row = await transaction(pool, async (tx) => {
        await lockServices(tx);
        const before = await findService(tx, 'fcm');
        // The stored key is never used for an address for which it was not entered.
        if (!account && (!before || !isSameOrigin(before.url, url)))
          throw new AppError('push_service.secret_needed');
        const settings = account?.settings ?? (before as FcmRow).settings;
        const secret = account?.privateKey ?? '';
        return save<FcmRow>(tx, caller, before, { service: 'fcm', enabled, url, settings, secret });
      });
      return fcmView(row);
    },
    async saveApns(caller, { enabled, url, key, ...settings }) {
      checkUrl(url);
      if (key !== '' && !isKey(key, 'ec')) throw new AppError('push_service.key');
      const row = await transaction(pool, async (tx) => {
        await lockServices(tx);
        const before = await findService(tx, 'apns');
        const isSame =
          before !== null && isSameOrigin(before.url, url) && before.settings.keyId === settings.keyId;
        if (key === '' && !isSame) throw new AppError('push_service.secret_needed');
        return save<ApnsRow>(tx, caller, before, { service: 'apns', enabled, url, settings, secret: key });
      });
      return apnsView(row);
    },
    async test(caller, service) {
      const row = await findService(pool, service);
      if (!row?.enabled || caller.accountId === null) throw new AppError('push_service.not_configured');
      // Before the attempt, so that none is made without its entry.
      await audit.recordAlone(caller, { action: 'send-message', ...objectOf(service, caller) });
      const notification = testNotification(caller.language, translate, clock.now());
      const hasApp = (await listApps(pool, caller.accountId)).some((app) => app.service === service);
      const outcome = hasApp
        ? await gateway.send(caller.accountId, notification, { service })
        : await gateway.check(service, notification);
      return { outcome: outcome.kind, error: 'error' in outcome ? outcome.error : '' };
    },
  };
}

const isSameOrigin = (one: string, other: string) => new URL(one).origin === new URL(other).origin;

function checkUrl(text: string): void {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.username !== '' || url.password !== '')
    throw new AppError('push_service.url');
}

function isKey(pem: string, type: 'ec' | 'rsa'): boolean {
  try {
    const key = createPrivateKey(pem);
    return (
      key.asymmetricKeyType === type &&
      (type === 'rsa' || key.asymmetricKeyDetails?.namedCurve === 'prime256v1')
    );
  } catch {
    return false;
  }
}

/** Reads the JSON key of a service account. Throws `push_service.credentials`. */
function accountOf(credentials: string): { settings: FcmSettings; privateKey: string } {
  const fields = jsonObjectOf(credentials);
  const line = (name: string) => {
    const value = fields[name];
    return typeof value === 'string' && /^[\x21-\x7e]{1,500}$/.test(value) ? value : null;
  };
  const [projectId, clientEmail, tokenUrl] = [line('project_id'), line('client_email'), line('token_uri')];
  const privateKey = fields.private_key;
  const isUrl = tokenUrl !== null && URL.canParse(tokenUrl) && /^https?:$/.test(new URL(tokenUrl).protocol);
  if (!projectId || !clientEmail || !isUrl || typeof privateKey !== 'string' || !isKey(privateKey, 'rsa'))
    throw new AppError('push_service.credentials');
  return { settings: { projectId, clientEmail, tokenUrl }, privateKey };
}

/** Fields in audit entries. The time of the secret shows that it was changed. */
const loggedOf = ({ enabled, url, settings, secretChangedAt }: PushServiceRow) => ({
  enabled,
  url,
  ...settings,
  credentialsAt: secretChangedAt.toISOString(),
});
