import type { CommandAnswer } from '@isotherm/contracts/commands';
import type { ReceivedCommand, Uplink } from '../client/uplink.ts';

const CONFIGURES_MS = 2_000;
const REBOOTS_MS = 6_000;
/** Until somebody comes by and switches it on again. */
const SWITCHED_OFF_MS = 5 * 60_000;
/** This device's own number for "switch on the housing stands at locked". */
const LOCKED = 7;

/** What a device can be made to do. */
export interface Machine {
  setAcquisitionInterval(everyMs: number): void;
  setUploadInterval(everyMs: number): void;
  /** Measures nothing until then. */
  switchOff(untilMs: number): void;
}

interface Task {
  command: ReceivedCommand;
  doneAt: number;
}

/**
 * The half of a logger that does what it is told: it says that it is at it, does it, and says that it is done. An answer
 * that the server has not taken is said again; a command that comes twice is done once and answered twice. A locked
 * device refuses.
 */
export function createObedience(
  uplink: Pick<Uplink, 'answer' | 'leave' | 'online'>,
  machine: Machine,
  locked: boolean,
) {
  /** What was last said of each command. */
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
      // Out of reach: the answer is still owed.
    } finally {
      saying = false;
    }
  }

  /** It leaves once the server knows why. */
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
