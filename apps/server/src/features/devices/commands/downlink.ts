import type { CommandAnswer, CommandOrder } from '@isotherm/contracts/commands';
import { ANSWER_WITHIN_MS, CONFIGURE_WITHIN_MS, stepCommand } from '@isotherm/domain/devices/command';
import type pg from 'pg';
import type { Clock } from '../../../platform/clock.ts';
import type { Logger } from '../../../platform/log.ts';
import type { DeviceDirectory } from '../device-directory.ts';
import {
  findOpen,
  listAwaited,
  listDue,
  listReserved,
  type OpenCommand,
  updateInterval,
  writeStep,
} from './commands.repo.ts';

/** A command on its way to a device. */
export interface OutgoingCommand {
  id: number;
  order: CommandOrder;
}

/** The way of commands from the database to the connections of this process, and of answers back. */
export interface Downlink {
  /**
   * A device can be told things over this connection: what waits for it goes out, now and from now on. Call what
   * is returned when the connection ends.
   */
  open(deviceId: number, deliver: (command: OutgoingCommand) => void): () => void;
  /**
   * What a device says of a command; an answer to none of its own, or to one that has ended, changes nothing.
   * Rejects when it could not be written down, so that the device says it again.
   */
  answered(deviceId: number, answer: CommandAnswer): Promise<void>;
  /** Commands were given to these devices: those that are connected here get them at once. */
  wake(deviceIds: readonly number[]): void;
  stop(): Promise<void>;
}

const TICK_MS = 1_000;
const DUE_AT_ONCE = 1_000;

interface Link {
  deliver: (command: OutgoingCommand) => void;
  /** What went out over it and was not answered. */
  unanswered: Map<number, OpenCommand>;
}

/** Other processes are heard through the database, once a second: a command is no alarm. */
export function createDownlink(
  pool: pg.Pool,
  directory: Pick<DeviceDirectory, 'forget'>,
  clock: Clock,
  log: Logger,
): Downlink {
  /** The newest connection of a device is the last: the others may be dead without knowing it. */
  const links = new Map<number, Link[]>();
  let working: Promise<void> = Promise.resolve();

  /** One thing after the other. */
  function inTurn(work: () => Promise<void>): Promise<void> {
    const done = working.then(work);
    working = done.catch(() => undefined);
    return done;
  }

  /** What fails here is seen again by the next tick. */
  function attempt(work: () => Promise<void>): void {
    inTurn(work).catch((error: Error) =>
      log.warn({ error: error.message }, 'commands wait for the database'),
    );
  }

  async function send(deviceIds: readonly number[]): Promise<void> {
    const here = deviceIds.filter((id) => links.has(id));
    if (here.length === 0) return;
    for (const command of await listReserved(pool, here)) {
      const link = links.get(command.deviceId)?.at(-1);
      const after = stepCommand(command, { type: 'sent' }, clock.now());
      // Claimed before it goes out: of two processes that know the device one tells it.
      if (!link || after === command || !(await writeStep(pool, command, after))) continue;
      link.unanswered.set(command.id, { ...command, ...after });
      link.deliver({ id: command.id, order: command.order });
    }
  }

  async function tick(): Promise<void> {
    const now = clock.now();
    for (const command of await listDue(
      pool,
      new Date(now),
      new Date(now - ANSWER_WITHIN_MS),
      new Date(now - CONFIGURE_WITHIN_MS),
      DUE_AT_ONCE,
    )) {
      const after = stepCommand(command, { type: 'tick' }, now);
      if (after !== command) await writeStep(pool, command, after);
    }
    if (links.size > 0) await send(await listAwaited(pool));
  }

  async function lose(commands: readonly OpenCommand[]): Promise<void> {
    for (const command of commands) {
      const after = stepCommand(command, { type: 'lost' }, clock.now());
      if (after !== command) await writeStep(pool, command, after);
    }
  }

  const timer = setInterval(() => attempt(tick), TICK_MS);

  return {
    open(deviceId, deliver) {
      const link: Link = { deliver, unanswered: new Map() };
      const own = links.get(deviceId);
      if (own) own.push(link);
      else links.set(deviceId, [link]);
      attempt(() => send([deviceId]));
      return () => {
        const left = (links.get(deviceId) ?? []).filter((each) => each !== link);
        if (left.length > 0) links.set(deviceId, left);
        else links.delete(deviceId);
        attempt(() => lose([...link.unanswered.values()]));
      };
    },
    answered: (deviceId, { id, state, reason }) =>
      inTurn(async () => {
        const command = await findOpen(pool, deviceId, id);
        if (!command) return;
        for (const link of links.get(deviceId) ?? []) link.unanswered.delete(id);
        const after = stepCommand(command, { type: 'answer', state }, clock.now());
        if (after === command) return;
        const failure = state === 'failed' ? ({ failure: 'device', reason } as const) : undefined;
        if (!(await writeStep(pool, command, after, failure))) return;
        if (state === 'success' && command.order.kind === 'acquisition-interval') {
          const number = await updateInterval(pool, deviceId, command.order.seconds * 1000);
          if (number !== null) directory.forget(number);
        }
      }),
    wake(deviceIds) {
      attempt(() => send(deviceIds));
    },
    async stop() {
      clearInterval(timer);
      await working;
    },
  };
}
