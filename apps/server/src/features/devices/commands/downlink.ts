import type { CommandAnswer, CommandOrder } from '@isotherm/contracts/commands';
import { ANSWER_WITHIN_MS, CONFIGURE_WITHIN_MS, stepCommand } from '@isotherm/domain/devices/command';
import type pg from 'pg';
import type { Clock } from '../../../platform/clock.ts';
import type { Logger } from '../../../platform/log.ts';
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

/** A connection that commands are delivered to. */
export interface Listener {
  id: number;
  /**
   * Hash of the key or token with which the connection authenticated; null if another party, such as a
   * broker, authenticated it.
   */
  credentialHash: Buffer | null;
}

/** Delivers commands from the database to the connections of this process, and stores the replies. */
export interface Downlink {
  /**
   * Delivers waiting and new commands over this connection as long as the key or token with which it
   * authenticated is still valid for the device. Call the returned function when the connection ends.
   */
  open(
    device: Listener,
    deliver: (command: OutgoingCommand) => void,
    /**
     * Returns false for a command that the protocol of this connection cannot carry. The command then waits
     * until the device connects over another protocol.
     */
    canSay?: (order: CommandOrder) => boolean,
  ): () => void;
  /**
   * Returns the next command for a device that polls; null if `signal` is aborted before there is one, or if
   * the device polls again before that.
   */
  next(
    device: Listener,
    signal: AbortSignal,
    /** Like `canSay` of `open`. */
    canSay?: (order: CommandOrder) => boolean,
  ): Promise<OutgoingCommand | null>;
  /**
   * Stores a device's reply to a command; a reply to an unknown or ended command changes nothing. Rejects
   * when it could not be stored, so that the device repeats it.
   */
  answered(deviceId: number, answer: CommandAnswer): Promise<void>;
  /** Call this for new commands of these devices, so that connected ones receive them at once. */
  wake(deviceIds: readonly number[]): void;
  stop(): Promise<void>;
}

const TICK_MS = 1_000;
const DUE_AT_ONCE = 1_000;
const SERVED_AT_ONCE = 1_000;
/** Number of devices served at the same time, so that database connections are left for other work. */
const SIDE_BY_SIDE = 4;

interface Link {
  credentialHash: Buffer | null;
  deliver: (command: OutgoingCommand) => void;
  canSay: (order: CommandOrder) => boolean;
  /** Commands that were sent over this connection and not answered yet. */
  unanswered: Map<number, OpenCommand>;
}

/**
 * Creates the delivery of commands. Commands created by other processes are found by polling once a second,
 * which is fast enough for commands.
 */
export function createDownlink(pool: pg.Pool, clock: Clock, log: Logger): Downlink {
  /** Connections of each device, the newest last, because older ones may be dead. */
  const links = new Map<number, Link[]>();
  /** Functions that abort the pending poll of a device. */
  const asking = new Map<number, () => void>();
  /** Pending work of each device, which runs in sequence. */
  const turns = new Map<number, Promise<void>>();
  const underWay = new Set<Promise<void>>();
  let isTicking = false;
  /** Devices that have connected or have new commands, collected so that one query serves many of them. */
  const soon = new Set<number>();
  let isServing = false;

  function inTurn(deviceId: number, work: () => Promise<void>): Promise<void> {
    const done = (turns.get(deviceId) ?? Promise.resolve()).then(work);
    const settled = done
      .catch(() => undefined)
      .then(() => {
        if (turns.get(deviceId) === settled) turns.delete(deviceId);
      });
    turns.set(deviceId, settled);
    return done;
  }

  /** Runs work; if it fails, the next tick retries it. */
  function attempt(work: () => Promise<void>): Promise<void> {
    const done = work()
      .catch((error: Error) => log.warn({ error: error.message }, 'commands wait for the database'))
      .finally(() => underWay.delete(done));
    underWay.add(done);
    return done;
  }

  /** Runs work for each command, in order for each device and for several devices in parallel. */
  async function forEach<Command extends OpenCommand>(
    commands: readonly Command[],
    work: (command: Command) => Promise<void>,
  ): Promise<void> {
    const byDevice = new Map<number, Command[]>();
    for (const command of commands) {
      const own = byDevice.get(command.deviceId);
      if (own) own.push(command);
      else byDevice.set(command.deviceId, [command]);
    }
    const devices = byDevice.entries();
    const worker = async () => {
      for (const [deviceId, own] of devices)
        await inTurn(deviceId, async () => {
          for (const command of own) await work(command);
        });
    };
    await Promise.all(Array.from({ length: SIDE_BY_SIDE }, worker));
  }

  async function step(command: OpenCommand, type: 'tick' | 'lost'): Promise<void> {
    const after = stepCommand(command, { type }, clock.now());
    if (after !== command) await writeStep(pool, command, after);
  }

  async function send(deviceIds: readonly number[]): Promise<void> {
    const here = deviceIds.filter((id) => links.has(id));
    if (here.length === 0) return;
    await forEach(await listReserved(pool, here), async (command) => {
      const link = links
        .get(command.deviceId)
        ?.findLast(
          ({ canSay, credentialHash }) =>
            canSay(command.order) &&
            (credentialHash === null || command.credentials.some((each) => each.equals(credentialHash))),
        );
      const after = stepCommand(command, { type: 'sent' }, clock.now());
      if (!link || after === command) return;
      // The command is claimed before it is sent, so that only one of two processes connected to this device
      // sends it.
      if (!(await writeStep(pool, command, after))) return;
      link.unanswered.set(command.id, { ...command, ...after });
      link.deliver({ id: command.id, order: command.order });
    });
  }

  function serve(deviceIds: readonly number[]): void {
    for (const id of deviceIds) soon.add(id);
    if (isServing) return;
    isServing = true;
    void attempt(async () => {
      try {
        while (soon.size > 0) {
          const some = [...soon].slice(0, SERVED_AT_ONCE);
          for (const id of some) soon.delete(id);
          await send(some);
        }
      } finally {
        isServing = false;
      }
    });
  }

  async function tick(): Promise<void> {
    const now = clock.now();
    const sentBefore = new Date(now - ANSWER_WITHIN_MS);
    const begunBefore = new Date(now - CONFIGURE_WITHIN_MS);
    const due = await listDue(pool, new Date(now), sentBefore, begunBefore, DUE_AT_ONCE);
    await forEach(due, (command) => step(command, 'tick'));
    if (links.size > 0) await send(await listAwaited(pool));
  }

  function add(deviceId: number, link: Link): void {
    const own = links.get(deviceId);
    if (own) own.push(link);
    else links.set(deviceId, [link]);
  }

  function drop(deviceId: number, link: Link): void {
    const left = (links.get(deviceId) ?? []).filter((each) => each !== link);
    if (left.length > 0) links.set(deviceId, left);
    else links.delete(deviceId);
  }

  const timer = setInterval(() => {
    if (isTicking) return;
    isTicking = true;
    void attempt(tick).then(() => {
      isTicking = false;
    });
  }, TICK_MS);

  return {
    open({ id: deviceId, credentialHash }, deliver, canSay = () => true) {
      const link: Link = { credentialHash, deliver, canSay, unanswered: new Map() };
      add(deviceId, link);
      serve([deviceId]);
      return () => {
        drop(deviceId, link);
        void attempt(() => forEach([...link.unanswered.values()], (command) => step(command, 'lost')));
      };
    },
    next: ({ id: deviceId, credentialHash }, signal, canSay = () => true) =>
      new Promise((resolve) => {
        asking.get(deviceId)?.();
        const end = (command: OutgoingCommand | null) => {
          signal.removeEventListener('abort', stop);
          if (asking.get(deviceId) === stop) asking.delete(deviceId);
          drop(deviceId, link);
          resolve(command);
        };
        const stop = () => end(null);
        // The polling connection ends with the first command; the device replies to the command in another
        // request.
        const link: Link = { credentialHash, deliver: end, canSay, unanswered: new Map() };
        if (signal.aborted) return resolve(null);
        signal.addEventListener('abort', stop, { once: true });
        asking.set(deviceId, stop);
        add(deviceId, link);
        serve([deviceId]);
      }),
    answered: (deviceId, { id, state, reason }) =>
      inTurn(deviceId, async () => {
        const command = await findOpen(pool, deviceId, id);
        if (!command) return;
        for (const link of links.get(deviceId) ?? []) link.unanswered.delete(id);
        const after = stepCommand(command, { type: 'answer', state }, clock.now());
        if (after === command) return;
        const failure = state === 'failed' ? ({ failure: 'device', reason } as const) : undefined;
        if (!(await writeStep(pool, command, after, failure))) return;
        const { order } = command;
        if (
          state === 'success' &&
          (order.kind === 'acquisition-interval' || order.kind === 'upload-interval')
        )
          await updateInterval(pool, deviceId, order.kind, order.seconds * 1000);
      }),
    wake: serve,
    async stop() {
      clearInterval(timer);
      for (const end of asking.values()) end();
      await Promise.all([...underWay, ...turns.values()]);
    },
  };
}
