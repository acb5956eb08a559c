import { AppError } from '@isotherm/contracts/errors';
import type { PaymentProviderInput, PaymentProviderView } from '@isotherm/contracts/payment-providers';
import type { Audit } from '../../platform/audit/audit.ts';
import { createKeptRecords } from '../../platform/audit/kept-records.ts';
import type { Caller } from '../../platform/http/caller.ts';
import {
  deleteProviderRow,
  findProviderRow,
  hasOrders,
  insertProviderRow,
  listProviderRows,
  lockProviderRow,
  type PaymentProviderRow,
  updateProviderRow,
} from './payment-providers.repo.ts';
import {
  callbackUrl,
  connectPayments,
  nameOf,
  openSecrets,
  type ProviderSecrets,
  type RegistryParts,
  sealSecrets,
} from './payment-registry.ts';
import { readPrivateKey, readPublicKey } from './providers/rsa-keys.ts';

const WECHAT_KEY_BYTES = 32;

export interface PaymentProvidersService {
  list(): Promise<PaymentProviderView[]>;
  /** Throws `payment_provider.taken|url|incomplete|key|secret_needed`. */
  create(caller: Caller, form: PaymentProviderInput): Promise<PaymentProviderView>;
  /** Throws `payment_provider.not_found|taken|url|incomplete|key|secret_needed|used`. */
  edit(caller: Caller, id: number, form: PaymentProviderInput): Promise<PaymentProviderView>;
  /** Throws `payment_provider.not_found|used`. */
  remove(caller: Caller, id: number, reason: string): Promise<null>;
  /** Throws `payment_provider.not_found`. */
  test(caller: Caller, id: number): Promise<{ ok: boolean; detail: string }>;
}

/** Merchant accounts at payment providers, for the operator of the platform. */
export function createPaymentProvidersService(
  parts: RegistryParts & { audit: Pick<Audit, 'record' | 'recordAlone'> },
): PaymentProvidersService {
  const { pool, audit, sealing, clock, origin } = parts;
  type Row = PaymentProviderRow & { path: string };

  async function find(db: Parameters<typeof findProviderRow>[0], caller: Caller, id: number): Promise<Row> {
    const row = await findProviderRow(db, id);
    if (!row) throw new AppError('payment_provider.not_found');
    return { ...row, path: caller.scope };
  }
  const objectOf = (row: Row) => ({
    objectKind: 'payment-provider',
    objectId: row.id,
    objectName: row.name,
    organizationPath: row.path,
  });
  const records = createKeptRecords<Row>(pool, audit, {
    find,
    lock: lockProviderRow,
    objectOf,
    fieldsOf: ({ name, kind, enabled, url, settings, secretsChangedAt }) => ({
      name,
      kind,
      enabled,
      url,
      appId: settings.appId,
      merchantId: settings.merchantId,
      serial: settings.serial,
      publicKey: settings.publicKey,
      publicKeyId: settings.publicKeyId,
      credentialsAt: secretsChangedAt.toISOString(),
    }),
    taken: { constraint: 'payment_provider_name', code: 'payment_provider.taken' },
  });

  /** The row to be stored. The stored secrets are never sent to an address for which they were not entered. */
  function rowOf(caller: Caller, form: PaymentProviderInput, before: PaymentProviderRow | null) {
    const { secret, callbackSecret, name, kind, enabled, url: address, ...settings } = form;
    const url = URL.canParse(address) ? new URL(address) : null;
    if (!url || !['http:', 'https:'].includes(url.protocol) || url.username !== '' || url.password !== '')
      throw new AppError('payment_provider.url');
    const kept = before && new URL(before.url).origin === url.origin ? openSecrets(sealing, before) : null;
    const secrets: ProviderSecrets = {
      secret: secret || kept?.secret || '',
      callbackSecret: callbackSecret || kept?.callbackSecret || '',
    };
    check(form, secrets);
    const now = new Date(clock.now());
    const isChanged = !before || !kept || secret !== '' || callbackSecret !== '';
    return {
      name,
      kind,
      enabled,
      url: address,
      settings,
      sealedSecrets: isChanged ? sealSecrets(sealing, secrets) : before.sealedSecrets,
      secretsChangedAt: isChanged ? now : before.secretsChangedAt,
      changedBy: caller.username,
      changedAt: now,
    };
  }

  function viewOf({ settings, ...row }: PaymentProviderRow): PaymentProviderView {
    return {
      id: row.id,
      name: row.name,
      kind: row.kind,
      enabled: row.enabled,
      url: row.url,
      ...settings,
      callbackUrl: origin && callbackUrl(origin, row),
      changedBy: row.changedBy,
      changedAt: row.changedAt.toISOString(),
    };
  }

  return {
    list: async () => (await listProviderRows(pool)).map(viewOf),
    create: async (caller, form) =>
      viewOf(await records.create(caller, (tx) => insertProviderRow(tx, rowOf(caller, form, null)))),
    edit: async (caller, id, form) =>
      viewOf(
        await records.change(caller, id, async (tx, before) => {
          // Orders name the kind.
          if (form.kind !== before.kind) throw new AppError('payment_provider.used');
          await updateProviderRow(tx, id, rowOf(caller, form, before));
        }),
      ),
    remove: (caller, id, reason) =>
      records.remove(caller, id, reason, async (tx) => {
        const row = await find(tx, caller, id);
        if (await hasOrders(tx, nameOf(row))) throw new AppError('payment_provider.used');
        await deleteProviderRow(tx, id);
      }),
    async test(caller, id) {
      const row = await find(pool, caller, id);
      await audit.recordAlone(caller, { action: 'test-connection', ...objectOf(row) });
      try {
        await connectPayments(parts, row).query({ number: `T${clock.now()}`, reference: '' });
        return { ok: true, detail: '' };
      } catch (error) {
        return { ok: false, detail: (error as Error).message.slice(0, 300) };
      }
    },
  };
}

/** Checks what each kind of provider needs. */
function check(form: PaymentProviderInput, { secret, callbackSecret }: ProviderSecrets): void {
  const { kind, appId, merchantId, serial, publicKey, publicKeyId } = form;
  const needed: readonly string[] = {
    alipay: [appId, publicKey],
    wechat: [appId, merchantId, serial, publicKey, publicKeyId],
    stripe: [],
  }[kind];
  if (needed.includes('')) throw new AppError('payment_provider.incomplete');
  if (secret === '' || (kind !== 'alipay' && callbackSecret === ''))
    throw new AppError('payment_provider.secret_needed');
  if (kind === 'stripe') return;
  if (!readPrivateKey(secret) || !readPublicKey(publicKey)) throw new AppError('payment_provider.key');
  if (kind === 'wechat' && Buffer.byteLength(callbackSecret) !== WECHAT_KEY_BYTES)
    throw new AppError('payment_provider.key');
}
