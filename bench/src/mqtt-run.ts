import type { BenchDevice } from './bench-fleet.ts';
import { type MqttSender, openSender } from './mqtt-load.ts';
import { sleep } from './stage.ts';

const WINDOW = 64;
/** Messages are added below this number of outstanding ones, because acknowledgements arrive in bursts. */
const REFILL_BELOW = 48;
const TICK_MS = 5;
const DRAIN_WITHIN_MS = 30_000;
const CATCH_UP_WITHIN_MS = 20_000;

interface Run {
  /** Number of all acknowledged messages, including the warm-up. */
  acknowledged: number;
  /** Messages per second in the measured period. */
  perSecond: number;
}

/** Sends as many messages as the server acknowledges, with up to 64 in flight per connection. */
export async function saturateMqtt(
  port: number,
  devices: readonly BenchDevice[],
  warmUpMs: number,
  measureMs: number,
): Promise<Run> {
  let acknowledged = 0;
  let stopping = false;
  const senders = await openAll(port, devices, Date.now() - 20 * 60_000, ({ sender }) => {
    acknowledged++;
    if (!stopping && sender.outstanding < REFILL_BELOW) sender.send(WINDOW - sender.outstanding);
  });
  for (const sender of senders) sender.send(WINDOW);
  await sleep(warmUpMs);
  const before = acknowledged;
  const begin = performance.now();
  await sleep(measureMs);
  const perSecond = ((acknowledged - before) * 1000) / (performance.now() - begin);
  stopping = true;
  await drain(senders);
  return { acknowledged, perSecond };
}

/** Sends a constant number of messages per second; returns the time to acknowledgement of each. */
export async function paceMqtt(
  port: number,
  devices: readonly BenchDevice[],
  ratePerSecond: number,
  warmUpMs: number,
  measureMs: number,
  residentMbNow: () => number,
): Promise<Run & { latenciesMs: number[]; residentMb: number }> {
  let acknowledged = 0;
  let measuring = false;
  const latenciesMs: number[] = [];
  const senders = await openAll(port, devices, Date.now() - 40 * 60_000, ({ tookMs }) => {
    acknowledged++;
    if (measuring) latenciesMs.push(tookMs);
  });
  const stopPacing = pace(senders, ratePerSecond);
  await sleep(warmUpMs);
  await caughtUp(senders, ratePerSecond);
  measuring = true;
  const before = acknowledged;
  const begin = performance.now();
  await sleep(measureMs);
  const perSecond = ((acknowledged - before) * 1000) / (performance.now() - begin);
  measuring = false;
  const residentMb = residentMbNow();
  stopPacing();
  await drain(senders);
  latenciesMs.sort((a, b) => a - b);
  return { acknowledged, perSecond, latenciesMs, residentMb };
}

/** Waits until no more than a fifth of a second's messages are in flight, to exclude the cold start. */
export async function caughtUp(senders: readonly MqttSender[], ratePerSecond: number): Promise<void> {
  const deadline = Date.now() + CATCH_UP_WITHIN_MS;
  const outstanding = () => senders.reduce((sum, sender) => sum + sender.outstanding, 0);
  while (outstanding() > ratePerSecond / 5 && Date.now() < deadline) await sleep(50);
}

/** Distributes `ratePerSecond` single messages over the senders in turn. */
export function pace(senders: readonly MqttSender[], ratePerSecond: number): () => void {
  let owed = 0;
  let turn = 0;
  let tickedAt = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    owed += ((now - tickedAt) * ratePerSecond) / 1000;
    tickedAt = now;
    for (; owed >= 1; owed--) {
      senders[turn % senders.length]!.send(1);
      turn++;
    }
  }, TICK_MS);
  return () => clearInterval(timer);
}

export async function openAll(
  port: number,
  devices: readonly BenchDevice[],
  startMs: number,
  onAcknowledged: Parameters<typeof openSender>[3],
  readingsPerMessage = 1,
): Promise<MqttSender[]> {
  const senders: MqttSender[] = [];
  for (const device of devices) {
    senders.push(
      await openSender(
        port,
        device,
        startMs,
        onAcknowledged,
        () => {
          throw new Error(`the broker dropped device ${device.number}`);
        },
        readingsPerMessage,
      ),
    );
  }
  return senders;
}

/** Waits until every message is acknowledged, then disconnects. */
export async function drain(senders: readonly MqttSender[]): Promise<void> {
  const deadline = Date.now() + DRAIN_WITHIN_MS;
  while (senders.some((sender) => sender.outstanding > 0)) {
    if (Date.now() > deadline) throw new Error('messages were never acknowledged');
    await sleep(20);
  }
  for (const sender of senders) sender.close();
}
