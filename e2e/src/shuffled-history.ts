import { INGEST_PATH } from '@isotherm/contracts/ingest';
import { deviceAuthorization, messageOf, swingAt, type TimedValue } from './loaded-device.ts';

const APART_MS = 20_000;
const RETRY_MS = 50;
const ANSWER_WITHIN_MS = 20_000;
/** Share of messages that are sent again to another process after their acknowledgement. */
const RESENT = 0.2;

export interface ShuffledHistory {
  number: string;
  /** The complete history, in order of time. */
  readings: readonly TimedValue[];
  /** Resolves when every message was acknowledged. */
  done: Promise<void>;
  acknowledgedMessages(): number;
}

/**
 * Sends a device's history over HTTP in random pieces, in random order, to random processes, and some pieces
 * twice.
 */
export function sendShuffledHistory(
  number: string,
  startAt: number,
  count: number,
  urls: () => readonly string[],
): ShuffledHistory {
  const readings = Array.from({ length: count }, (_, index) => ({
    at: startAt + index * APART_MS,
    value: swingAt(index, Number(number) % 7),
  }));
  const pieces: TimedValue[][] = [];
  for (let first = 0; first < count; first += pieces.at(-1)?.length ?? 1)
    pieces.push(readings.slice(first, first + 1 + Math.floor(Math.random() * 30)));
  const order = pieces
    .flatMap((piece) => (Math.random() < RESENT ? [piece, piece] : [piece]))
    .map((piece) => ({ piece, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ piece }) => piece);
  let acknowledged = 0;

  async function send(piece: readonly TimedValue[]): Promise<boolean> {
    const all = urls();
    try {
      const answer = await fetch(all[Math.floor(Math.random() * all.length)] + INGEST_PATH, {
        method: 'POST',
        headers: { authorization: deviceAuthorization(number), 'content-type': 'application/json' },
        body: JSON.stringify(messageOf(piece)),
        signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
      });
      await answer.arrayBuffer();
      return answer.ok;
    } catch {
      return false;
    }
  }

  async function run(): Promise<void> {
    for (const piece of order) {
      while (!(await send(piece))) await new Promise((wake) => setTimeout(wake, RETRY_MS));
      acknowledged++;
    }
  }
  return { number, readings, done: run(), acknowledgedMessages: () => acknowledged };
}
