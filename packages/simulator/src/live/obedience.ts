import type { CommandAnswer } from '@isotherm/contracts/commands';
import type { ReceivedCommand, Uplink } from '../client/uplink.ts';

const CONFIGURES_MS = 2_000;
const REBOOTS_MS = 6_000;
/** Time until someone switches the device on again after a shutdown. */
const SWITCHED_OFF_MS = 5 * 60_000;
/** Error number for "the switch on the housing is set to locked". */
const LOCKED = 7;

/** Actions that a command can start in a device. */
export interface Machine {
  setAcquisitionInterval(everyMs: number): void;
  setUploadInterval(everyMs: number): void;
  /** Stops the measurement until the given time. */
  switchOff(untilMs: number): void;
}

interface Task {
  command: ReceivedCommand;
  doneAt: number;
}

/**
 * The part of a logger that executes commands. It reports progress, executes the command, and reports
 * success. An unacknowledged answer is repeated; a repeated command is executed once and answered again. A
 * locked device refuses commands.
 */
export function createObedience(
  uplink: Pick<Uplink, 'answer' | 'leave' | 'online'>,
  machine: Machine,
  locked: boolean,
) {
  /** The last answer to each command, by command id. */
  const said = new Map<number, CommandAnswer>();
  let tasks: Task[] = [];
  let owed: CommandAnswer[] = [];
  let saying = false;

  function obey({ kind, seconds }: ReceivedCommand): void {
    const everyMs = (seconds ?? 0) * 1_000;
    if (kind === 'acquisition-interval' && everyMs > 0) machine.setAcquisitionInterval(everyMs);
    if (kind === 'upload-interval') machine.setUploadInterval(everyMs);
  }

  function owe(answer: CommandAnswer): void {
    said.set(answer.id, answer);
    owed.push(answer);
  }

  function goAway(nowMs: number, forMs: number): void {
    machine.switchOff(nowMs + forMs);
    uplink.leave(forMs);
  }

  async function say(nowMs: number): Promise<void> {
    if (saying || !uplink.online()) return;
    saying = true;
    try {
      for (let [answer] = owed; answer; [answer] = owed) {
        await uplink.answer(answer);
        owed = owed.filter((each) => each !== answer);
        follow(answer, nowMs);
      }
    } catch {
      // If the server is unreachable, the answer stays pending.
    } finally {
      saying = false;
    }
  }

  /** Disconnects the device after the server has received its answer. */
  function follow({ id, state }: CommandAnswer, nowMs: number): void {
    const kind = tasks.find(({ command }) => command.id === id)?.command.kind;
    if (kind === 'reboot' && state === 'configuring') goAway(nowMs, REBOOTS_MS);
    if (state !== 'success') return;
    if (kind === 'shutdown') goAway(nowMs, SWITCHED_OFF_MS);
    tasks = tasks.filter(({ command }) => command.id !== id);
  }

  return {
    take(command: ReceivedCommand, nowMs: number): void {
      const { id, kind } = command;
      const known = said.get(id);
      if (known) {
        if (!owed.includes(known)) owed.push(known);
      } else if (locked) owe({ id, state: 'failed', reason: LOCKED });
      else {
        owe({ id, state: 'configuring', reason: 0 });
        tasks.push({ command, doneAt: nowMs + (kind === 'reboot' ? REBOOTS_MS : CONFIGURES_MS) });
      }
      void say(nowMs);
    },
    tick(nowMs: number): void {
      for (const task of tasks.filter(({ doneAt }) => nowMs >= doneAt)) {
        task.doneAt = Number.POSITIVE_INFINITY;
        obey(task.command);
        owe({ id: task.command.id, state: 'success', reason: 0 });
      }
      void say(nowMs);
    },
  };
}
