import type { Commodity } from '@isotherm/domain/billing/ledger';
import { createTranslator } from '@isotherm/i18n/translator';
import { createNotifier } from '../features/alarms/index.ts';
import { createMakeLink, createSmsLinks } from '../features/alarms/links/acknowledge-links.ts';
import { canPress, createKeypad, type Keypad } from '../features/alarms/notifications/keypad.ts';
import { createReceipts, type Receipts } from '../features/alarms/notifications/receipts.ts';
import { findUnbalanced } from '../features/billing/ledger.repo.ts';
import { createLedger, type Ledger } from '../features/billing/ledger.ts';
import { createSmpp, type Smpp } from '../features/notifications/smpp/smpp.ts';
import { createSmsGateway, SECRET_PURPOSE } from '../features/notifications/sms/sms-gateway.ts';
import { createAudit } from '../platform/audit/audit.ts';
import { transaction } from '../platform/db/pool.ts';
import { prepareJobs } from '../platform/jobs/jobs.ts';
import { createLog } from '../platform/log.ts';
import { createMessages } from '../platform/messages/messages.ts';
import { createOutgoing } from '../platform/outgoing/outgoing.ts';
import { createPublicLinks } from '../platform/public-links/public-links.ts';
import { createSealing } from '../platform/sealing.ts';
import { type NotificationBench, startNotificationBench } from './notification-bench.ts';

/** Address of the server in these tests. */
export const DELIVERY_ORIGIN = 'https://cold.example';
/** Secret of the installation in these tests. */
export const DELIVERY_SECRET = 'a secret of the tests, long enough for anybody';

/** Fields of a stored provider. */
export interface ProviderFields {
  name: string;
  kind: string;
  url: string;
  secret: string;
  priority?: number;
  settings: Record<string, unknown>;
}

/** Alarms, workers, providers and a prepaid balance on one database, on a clock of the test. */
export interface DeliveryBench extends NotificationBench {
  sealing: ReturnType<typeof createSealing>;
  ledger: Ledger;
  receipts: Receipts & Keypad;
  /** Connections over SMPP, with short time limits. */
  smpp: Smpp;
  /** Id of the organisation that pays. */
  organizationId: number;
  addProvider(fields: ProviderFields): Promise<number>;
  /** One worker; `broken` replaces methods of the ledger. */
  worker(broken?: Partial<Ledger>): ReturnType<typeof createNotifier>;
  recharge(commodity: Commodity, units: number): Promise<void>;
  balance(commodity: Commodity): Promise<{ available: number; reserved: number }>;
  /** Kind, notification channel, state and error of the notifications of a channel. */
  states(channelId: number): Promise<[string, string, string, string][]>;
  /** Accounts whose balance is not the sum of their entries. */
  unbalanced(): Promise<unknown[]>;
}

export async function startDeliveryBench(time: { now: number }): Promise<DeliveryBench> {
  const clock = { now: () => time.now };
  const log = createLog('silent', false);
  const translate = createTranslator();
  const sealing = createSealing(DELIVERY_SECRET);
  const ledger = createLedger(clock);
  const bench = await startNotificationBench(time);
  const { pool } = bench;
  await prepareJobs(pool, log);
  // The payer is found by the path.
  const { rows } = await pool.query<{ id: number }>(
    `update organization set path = '/' || id || '/' returning id::float8 as id`,
  );
  const organizationId = rows[0]?.id ?? 0;
  let causes = 1_000_000;
  const outgoing = createOutgoing(['127.0.0.1']);
  const receipts = {
    ...createReceipts(pool, clock),
    ...createKeypad({
      pool,
      audit: createAudit(pool, sealing, clock),
      clock,
      announce: () => undefined,
    }),
  };
  const smpp = createSmpp({ pool, outgoing, clock, log, timing: { response: 2_000, enquiry: 400 } });
  smpp.deliverTo(receipts);

  return {
    ...bench,
    sealing,
    ledger,
    organizationId,
    receipts,
    smpp,
    async stop() {
      await smpp.stop();
      await bench.stop();
    },
    async addProvider({ name, kind, url, secret, priority = 1, settings }) {
      const inserted = await pool.query<{ id: number }>(
        `insert into sms_provider (name, kind, enabled, priority, url, settings, sealed_secret, changed_by, changed_at,
                                   secret_changed_at)
         values ($1, $2, true, $3, $4, $5, $6, 'test', now(), now()) returning id`,
        [
          name,
          kind,
          priority,
          url,
          JSON.stringify(settings),
          sealing.seal(SECRET_PURPOSE, Buffer.from(secret)),
        ],
      );
      return inserted.rows[0]?.id ?? 0;
    },
    worker(broken = {}) {
      const gatewayParts = {
        outgoing,
        smpp,
        sealing,
        clock,
        origin: DELIVERY_ORIGIN,
        log,
      };
      const makeLink = createMakeLink(createPublicLinks(), clock, DELIVERY_ORIGIN);
      const links = createSmsLinks(makeLink, sealing, DELIVERY_ORIGIN);
      const charge = { reserve: ledger.reserve, settle: ledger.settle, ...broken };
      return createNotifier({
        pool,
        messages: createMessages({ pool, sealing, clock, translate, transports: {}, keepsReadable: true }),
        urlPush: async () => undefined,
        sms: { gateway: createSmsGateway(pool, gatewayParts), charge, links },
        voice: { gateway: createSmsGateway(pool, gatewayParts, 'voice'), charge, canPress },
        clock,
        translate,
        log,
        consoleUrl: null,
      });
    },
    async recharge(commodity, units) {
      if (units === 0) return;
      await transaction(pool, (tx) =>
        ledger.post(tx, {
          kind: units > 0 ? 'grant' : 'refund',
          cause: { kind: 'grant', id: ++causes },
          payerId: organizationId,
          commodity,
          units: Math.abs(units),
          by: 'test',
        }),
      );
    },
    async balance(commodity) {
      const found = await pool.query<{ role: string; balance: number }>(
        `select role, balance::float8 as balance from billing_account where organization_id = $1 and commodity = $2`,
        [organizationId, commodity],
      );
      const of = (role: string) => found.rows.find((row) => row.role === role)?.balance ?? 0;
      return { available: of('available'), reserved: of('reserved') };
    },
    states: async (channelId) =>
      (await bench.told(channelId)).map(({ kind, channel, state, error }) => [kind, channel, state, error]),
    unbalanced: () => findUnbalanced(pool),
  };
}
