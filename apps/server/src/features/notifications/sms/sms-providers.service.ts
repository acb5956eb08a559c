import { AppError } from '@isotherm/contracts/errors';
import type { ResponseOf } from '@isotherm/contracts/route';
import type { SmsProviderInput, SmsProviderView, testSmsProvider } from '@isotherm/contracts/sms-providers';
import { CLOSED_GATE, circuitOf } from '@isotherm/domain/notifications/provider-gate';
import { fillJson } from '@isotherm/domain/notifications/sms-provider';
import type { Translate } from '@isotherm/i18n/translator';
import type pg from 'pg';
import type { Audit } from '../../../platform/audit/audit.ts';
import { createKeptRecords } from '../../../platform/audit/kept-records.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Db } from '../../../platform/db/pool.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import type { Outgoing } from '../../../platform/outgoing/outgoing.ts';
import { internationalNumber } from '../../../platform/phone-number.ts';
import type { Sealing } from '../../../platform/sealing.ts';
import { readSources, receiptAddress } from '../receipts/receipt-door.ts';
import type { Smpp } from '../smpp/smpp.ts';
import { findGates, readDatabaseTime, type StoredGate } from './provider-gates.repo.ts';
import { createProviderGates } from './provider-gates.ts';
import { connectProvider, SECRET_PURPOSE } from './sms-gateway.ts';
import {
  deleteProviderRow,
  findProvider,
  insertProvider,
  listProviders,
  lockProvider,
  type SmsProviderRow,
  updateProvider,
} from './sms-providers.repo.ts';

export interface SmsProvidersService {
  list(): Promise<SmsProviderView[]>;
  /** Throws `sms_provider.taken|url|body|aliyun|aliyun_voice|tencent|twilio|smpp|smpp_url|secret_needed|sources`. */
  create(caller: Caller, form: SmsProviderInput): Promise<SmsProviderView>;
  /** Throws `sms_provider.not_found|taken|url|body|aliyun|aliyun_voice|tencent|twilio|smpp|smpp_url|secret_needed|sources`. */
  edit(caller: Caller, id: number, form: SmsProviderInput): Promise<SmsProviderView>;
  /** Throws `sms_provider.not_found`. */
  remove(caller: Caller, id: number, reason: string): Promise<null>;
  /** Throws `sms_provider.not_found`. */
  test(caller: Caller, id: number, mobile: string): Promise<ResponseOf<typeof testSmsProvider>>;
  /** Throws `sms_provider.not_found`. */
  receiptAddress(caller: Caller, id: number): Promise<{ url: string | null }>;
}

export function createSmsProvidersService(parts: {
  pool: pg.Pool;
  audit: Pick<Audit, 'record' | 'recordAlone'>;
  sealing: Pick<Sealing, 'seal' | 'open' | 'mac'>;
  outgoing: Pick<Outgoing, 'ask'>;
  clock: Clock;
  translate: Translate;
  /** Address of this server; null if it is not known. */
  origin: string | null;
  smpp: Pick<Smpp, 'send'>;
}): SmsProvidersService {
  const { pool, audit, sealing, clock, translate, origin } = parts;

  async function find(db: Db, caller: Caller, id: number): Promise<SmsProviderRow & { path: string }> {
    const row = await findProvider(db, id);
    if (!row) throw new AppError('sms_provider.not_found');
    return { ...row, path: caller.scope };
  }
  const records = createKeptRecords<SmsProviderRow & { path: string }>(pool, audit, {
    find,
    lock: lockProvider,
    objectOf,
    fieldsOf,
    taken: { constraint: 'sms_provider_name', code: 'sms_provider.taken' },
  });

  const kept = (caller: Caller, { secret, ...fields }: SmsProviderInput) => ({
    ...fields,
    sealedSecret: secret === '' ? null : sealing.seal(SECRET_PURPOSE, Buffer.from(secret)),
    changedBy: caller.username,
    changedAt: new Date(clock.now()),
  });

  const gates = createProviderGates(pool, clock, readDatabaseTime);
  const shown = async (row: SmsProviderRow & { path: string }) =>
    viewOf(row, (await findGates(pool)).get(row.id), clock.now());

  return {
    async list() {
      const stored = await findGates(pool);
      return (await listProviders(pool)).map((row) => viewOf(row, stored.get(row.id), clock.now()));
    },
    create: async (caller, form) =>
      shown(
        await records.create(caller, async (tx) => {
          check(form, null);
          return insertProvider(tx, kept(caller, form));
        }),
      ),
    edit: async (caller, id, form) =>
      shown(
        await records.change(caller, id, async (tx, before) => {
          check(form, before);
          await updateProvider(tx, id, kept(caller, form));
        }),
      ),
    remove: (caller, id, reason) => records.remove(caller, id, reason, (tx) => deleteProviderRow(tx, id)),
    async test(caller, id, mobile) {
      const { language } = caller;
      const row = await find(pool, caller, id);
      // Before the attempt, so that none is made without its entry.
      await audit.recordAlone(caller, { action: 'send-message', ...objectOf(row), after: { mobile } });
      const asset = translate(language, 'channels.test.asset');
      const outcome = await connectProvider(parts, row).send({
        id: `test-${row.id}-${clock.now()}`,
        number: internationalNumber('', mobile),
        text: translate(language, 'channels.test.text'),
        prompt: '',
        language,
        variables: { what: 'test', level: '1', asset, fault: '-', value: '-', time: '-' },
      });
      // A success closes the circuit, so that messages need not wait for its pause.
      await gates.leave(id, outcome);
      return {
        outcome: outcome.kind,
        detail: outcome.kind === 'sent' ? outcome.providerMessageId : outcome.error,
      };
    },
    async receiptAddress(caller, id) {
      const row = await find(pool, caller, id);
      return { url: row.kind.startsWith('aliyun') && origin ? receiptAddress(origin, sealing, row) : null };
    },
  };
}

/** Checks what depends on several fields. */
function check(form: SmsProviderInput, before: SmsProviderRow | null): void {
  const isSmpp = form.kind === 'smpp';
  const url = URL.canParse(form.url) ? new URL(form.url) : null;
  const schemes = isSmpp ? ['smpp:', 'smpps:'] : ['http:', 'https:'];
  if (!url || !schemes.includes(url.protocol) || url.hostname === '' || url.username + url.password !== '')
    throw new AppError(isSmpp ? 'sms_provider.smpp_url' : 'sms_provider.url');
  if (isSmpp && (form.keyId === '' || !/^(\+\d{5,20}|\d{3,20}|[\w .&-]{1,11})$/.test(form.sender)))
    throw new AppError('sms_provider.smpp');
  if (form.kind === 'http' && fillJson(form.body, {}) === null)
    throw new AppError('sms_provider.body', { example: '{"to": "{{number}}", "text": "{{text}}"}' });
  const { keyId, appId, sender, signName, templateZhCn, templateZhTw, templateEn, templateEs } = form;
  const hasTemplate = [templateZhCn, templateZhTw, templateEn, templateEs].some((code) => code !== '');
  if (form.kind === 'aliyun' && (keyId === '' || signName === '' || !hasTemplate))
    throw new AppError('sms_provider.aliyun');
  if (form.kind === 'aliyun-voice' && (keyId === '' || !hasTemplate))
    throw new AppError('sms_provider.aliyun_voice');
  if (form.kind === 'tencent' && (keyId === '' || appId === '' || signName === '' || !hasTemplate))
    throw new AppError('sms_provider.tencent');
  const isTwilio = form.kind === 'twilio' || form.kind === 'twilio-voice';
  if (isTwilio && (keyId === '' || sender === '')) throw new AppError('sms_provider.twilio');
  if (readSources(form.receiptSources) === null) throw new AppError('sms_provider.sources');
  // The stored secret is never sent to an address for which it was not entered.
  const keepsSecret = form.secret === '' && before?.hasSecret === true;
  if (keepsSecret && serverOf(new URL(before.url)) !== serverOf(url))
    throw new AppError('sms_provider.secret_needed');
  if (form.kind !== 'http' && form.secret === '' && !keepsSecret)
    throw new AppError('sms_provider.secret_needed');
}

/** The server of an address. Addresses of SMPP have no origin. */
const serverOf = ({ protocol, host }: URL) => `${protocol}//${host}`;

function viewOf(
  { sealedSecret: _, secretChangedAt: __, changedAt, ...row }: SmsProviderRow & { path?: string },
  gate: StoredGate | undefined,
  now: number,
): SmsProviderView {
  const { path: ___, ...view } = row;
  const circuit = circuitOf(gate ?? CLOSED_GATE, now);
  return {
    ...view,
    changedAt: changedAt.toISOString(),
    circuit,
    circuitUntil: circuit === 'open' && gate?.retryAt ? new Date(gate.retryAt).toISOString() : null,
    failures: gate?.failures ?? 0,
    lastError: gate?.lastError ?? '',
    lastErrorAt: gate?.lastErrorAt?.toISOString() ?? null,
    lastSuccessAt: gate?.lastSuccessAt?.toISOString() ?? null,
  };
}

const objectOf = (row: SmsProviderRow & { path: string }) => ({
  objectKind: 'sms-provider',
  objectId: row.id,
  objectName: row.name,
  organizationPath: row.path,
});

/** Fields in audit entries. The time of the secret shows that it was changed. */
function fieldsOf(row: SmsProviderRow) {
  const { kind, enabled, priority, url, signName, keyId, secretChangedAt, body } = row;
  const {
    templateZhCn,
    templateZhTw,
    templateEn,
    templateEs,
    successPath,
    successValue,
    idPath,
    receiptSources,
    ratePerSecond,
    appId,
    region,
    sender,
  } = row;
  return {
    name: row.name,
    kind,
    enabled,
    priority,
    url,
    signName,
    keyId,
    templateZhCn,
    templateZhTw,
    templateEn,
    templateEs,
    body,
    successPath,
    successValue,
    idPath,
    receiptSources,
    ratePerSecond,
    appId,
    region,
    sender,
    credentialsAt: secretChangedAt?.toISOString() ?? '',
  };
}
