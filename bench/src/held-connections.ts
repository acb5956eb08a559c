import { once } from 'node:events';
import type { Socket } from 'node:net';
import { readingsTopic } from '@isotherm/contracts/ingest';
import type { BenchDevice } from './bench-fleet.ts';
import { open, publishFrame } from './mqtt-load.ts';
import { sleep } from './stage.ts';

const OPENING_AT_ONCE = 50;
/** Wait for garbage collection after the logins, before memory is measured. */
const SETTLE_MS = 10_000;

/**
 * Opens a connection per device, sends one acknowledged reading on each, and keeps them open; then sends
 * another, to prove that each connection still works.
 */
export async function holdConnections(
  port: number,
  devices: readonly BenchDevice[],
  residentMbNow: () => number,
): Promise<{ connections: number; acknowledged: number; residentMb: number }> {
  const sockets: { socket: Socket; device: BenchDevice }[] = [];
  let acknowledged = 0;
  const start = Date.now() - 20 * 60_000;

  const say = async (socket: Socket, device: BenchDevice, at: number) => {
    const frame = publishFrame(readingsTopic(device.number), device.channels, 4.2);
    frame.bytes.writeUInt16BE(1, frame.idAt);
    for (const timeAt of frame.timesAt) frame.bytes.write(String(at), timeAt, 'latin1');
    socket.write(frame.bytes);
    await once(socket, 'data');
    acknowledged++;
  };
  const inCrowds = async <T>(items: readonly T[], work: (item: T) => Promise<void>) => {
    for (let from = 0; from < items.length; from += OPENING_AT_ONCE)
      await Promise.all(items.slice(from, from + OPENING_AT_ONCE).map(work));
  };

  await inCrowds(devices, async (device) => {
    const socket = await open(port, device);
    sockets.push({ socket, device });
    await say(socket, device, start);
  });
  await sleep(SETTLE_MS);
  const residentMb = residentMbNow();
  await inCrowds(sockets, ({ socket, device }) => say(socket, device, start + 60_000));
  for (const { socket } of sockets) socket.destroy();
  return { connections: sockets.length, acknowledged, residentMb };
}
