import { createTranslator } from '@isotherm/i18n/translator';
import pg from 'pg';
import { createNotifier } from '../features/alarms/index.ts';
import { createLedger } from '../features/billing/ledger.ts';
import { createSmsGateway } from '../features/notifications/sms/sms-gateway.ts';
import { createLog } from '../platform/log.ts';
import { createMessages } from '../platform/messages/messages.ts';
import { createOutgoing } from '../platform/outgoing/outgoing.ts';
import { createSealing } from '../platform/sealing.ts';
import { DELIVERY_SECRET } from './delivery-bench.ts';

/**
 * Delivers notifications repeatedly, for a test that kills this process. Arguments: the connection string of the
 * database, and by how many ms its clock is ahead.
 */
const pool = new pg.Pool({ connectionString: process.argv[2] ?? '', max: 4 });
pool.on('error', () => undefined);
pool.on('connect', (client) => client.on('error', () => undefined));
const ahead = Number(process.argv[3]);
const clock = { now: () => Date.now() + ahead };
const log = createLog('silent', false);
const translate = createTranslator();
const sealing = createSealing(DELIVERY_SECRET);
const gatewayParts = { outgoing: createOutgoing(['127.0.0.1']), sealing, clock, origin: null, log };
const charge = createLedger(clock);
const notifier = createNotifier({
  pool,
  messages: createMessages({ pool, sealing, clock, translate, transports: {}, keepsReadable: true }),
  urlPush: async () => undefined,
  sms: { gateway: createSmsGateway(pool, gatewayParts), charge },
  voice: { gateway: createSmsGateway(pool, gatewayParts, 'voice'), charge },
  clock,
  translate,
  log,
  consoleUrl: null,
});
process.send?.('ready');
for (;;) await notifier.deliverDue();
