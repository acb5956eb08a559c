import type pg from 'pg';
import type { Clock } from '../../platform/clock.ts';
import type { Outgoing } from '../../platform/outgoing/outgoing.ts';
import type { Sealing } from '../../platform/sealing.ts';
import { findProviderRow, listProviderRows, type PaymentProviderRow } from './payment-providers.repo.ts';
import { type PaymentProvider, ProviderError } from './payments.ts';
import { createAlipay } from './providers/alipay.ts';
import { readPrivateKey, readPublicKey } from './providers/rsa-keys.ts';
import { createStripe } from './providers/stripe.ts';
import { createWechat } from './providers/wechat.ts';

/** Purpose for which secrets are encrypted; it is part of the key derivation. */
const SECRETS_PURPOSE = 'payment-provider-secrets';

export interface ProviderSecrets {
  secret: string;
  callbackSecret: string;
}

export interface RegistryParts {
  pool: pg.Pool;
  sealing: Pick<Sealing, 'seal' | 'open'>;
  outgoing: Pick<Outgoing, 'ask' | 'addressOf'>;
  clock: Clock;
  /** Address of this server; null if it is not known. */
  origin: string | null;
}

/** The providers through which orders are paid. */
export interface PaymentRegistry {
  /** Those that are offered for new orders. */
  offered(): Promise<Pick<PaymentProvider, 'name' | 'title' | 'kind'>[]>;
  /** A provider, also if it is no longer offered; null if there is none of this name. */
  find(name: string): Promise<PaymentProvider | null>;
}

/** Name by which orders refer to a stored provider. */
export const nameOf = ({ kind, id }: Pick<PaymentProviderRow, 'kind' | 'id'>) => `${kind}-${id}`;

export const callbackUrl = (origin: string, row: Pick<PaymentProviderRow, 'kind' | 'id'>) =>
  `${origin}/pay/notify/${nameOf(row)}`;

export const sealSecrets = (sealing: Pick<Sealing, 'seal'>, secrets: ProviderSecrets) =>
  sealing.seal(SECRETS_PURPOSE, Buffer.from(JSON.stringify(secrets)));

export function openSecrets(sealing: Pick<Sealing, 'open'>, row: PaymentProviderRow): ProviderSecrets | null {
  const opened = sealing.open(SECRETS_PURPOSE, row.sealedSecrets);
  return opened && (JSON.parse(opened.toString('utf8')) as ProviderSecrets);
}

/** Connects a stored merchant account with the client of its kind. Throws `ProviderError` if that is not possible. */
export function connectPayments(parts: RegistryParts, row: PaymentProviderRow): PaymentProvider {
  const secrets = openSecrets(parts.sealing, row);
  if (!secrets) throw new ProviderError('the secrets cannot be decrypted');
  if (parts.origin === null) throw new ProviderError('the public address of the server is not configured');
  const base = { name: nameOf(row), title: row.name, url: row.url };
  const notifyUrl = callbackUrl(parts.origin, row);
  if (row.kind === 'stripe')
    return createStripe(
      {
        ...base,
        secretKey: secrets.secret,
        webhookSecret: secrets.callbackSecret,
        returnUrl: `${parts.origin}/recharge/records`,
      },
      parts,
    );
  const privateKey = readPrivateKey(secrets.secret);
  const publicKey = readPublicKey(row.settings.publicKey);
  if (!privateKey || !publicKey) throw new ProviderError('the keys cannot be read');
  const { appId, merchantId, serial, publicKeyId } = row.settings;
  const keys = { privateKey, publicKey };
  return row.kind === 'alipay'
    ? createAlipay({ ...base, ...keys, appId, notifyUrl }, parts)
    : createWechat(
        {
          ...base,
          ...keys,
          appId,
          notifyUrl,
          merchantId,
          serial,
          publicKeyId,
          apiKey: secrets.callbackSecret,
        },
        parts,
      );
}

export function createPaymentRegistry(
  parts: RegistryParts,
  sandbox: PaymentProvider | null,
): PaymentRegistry {
  return {
    async offered() {
      const rows = (await listProviderRows(parts.pool)).filter(({ enabled }) => enabled);
      const stored = rows.map((row) => ({ name: nameOf(row), title: row.name, kind: row.kind }));
      return sandbox ? [...stored, { name: sandbox.name, title: sandbox.title, kind: sandbox.kind }] : stored;
    },
    async find(name) {
      if (sandbox?.name === name) return sandbox;
      const [, kind, id] = /^([a-z]+)-(\d{1,15})$/.exec(name) ?? [];
      const row = id === undefined ? null : await findProviderRow(parts.pool, Number(id));
      return row?.kind === kind && row ? connectPayments(parts, row) : null;
    },
  };
}
