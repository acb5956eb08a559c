import { type ChildProcess, spawn, spawnSync } from 'node:child_process';

export interface ProgramOptions {
  /** Command to run; the default is this Node.js. */
  command?: string;
  args: string[];
  cwd?: string;
  /** Environment variables that override those of the test process. */
  env?: Record<string, string | undefined>;
  /** True to open an IPC channel for `waitForMessage`. */
  ipc?: boolean;
}

export interface ProgramExit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** A program under test in its own process group. */
export interface Program {
  readonly pid: number;
  readonly exited: Promise<ProgramExit>;
  /** Returns the output so far, both streams in order of arrival. */
  output(): string;
  /**
   * Resolves with the first match of `pattern` in the output. Throws with the output if the program ends or
   * the time is over.
   */
  waitForOutput(pattern: RegExp, withinMs?: number): Promise<RegExpMatchArray>;
  /** Resolves with the first IPC message that `wanted` accepts, already received or future. */
  waitForMessage<T>(wanted: (message: unknown) => message is T, withinMs?: number): Promise<T>;
  /** Closes the IPC channel, as if the parent had ended. */
  disconnect(): void;
  /** Sends a signal to the program only, not to its process group. */
  signal(name: NodeJS.Signals): void;
  /**
   * Sends SIGTERM, then after the time limit SIGKILL to the whole group. Resolves when the program has
   * ended.
   */
  stop(withinMs?: number): Promise<ProgramExit>;
}

const DEFAULT_WAIT_MS = 30_000;
const running = new Set<Program>();

// All programs are killed when the test process ends.
process.on('exit', () => {
  for (const program of running) killGroup(program.pid);
});

export function startProgram(options: ProgramOptions): Program {
  const [command = '', ...args] = [...endsWithTest(), options.command ?? process.execPath, ...options.args];
  const child = spawn(command, args, {
    cwd: options.cwd,
    env: { ...process.env, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe', ...(options.ipc ? ['ipc' as const] : [])],
    detached: true,
  });
  const program = observe(child);
  running.add(program);
  void program.exited.then(() => running.delete(program));
  return program;
}

/** Returns a command prefix that ends the program with the test runner, even if that gets a SIGKILL. */
function endsWithTest(): string[] {
  if (process.platform !== 'linux') return [];
  const works = spawnSync('setpriv', ['--pdeathsig', 'KILL', 'true'], { stdio: 'ignore' }).status === 0;
  return works ? ['setpriv', '--pdeathsig', 'KILL', '--'] : [];
}

function observe(child: ChildProcess): Program {
  const changes = new EventTarget();
  const messages: unknown[] = [];
  let output = '';
  let exit: ProgramExit | undefined;
  const changed = () => changes.dispatchEvent(new Event('change'));
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      changed();
    });
  }
  child.on('message', (message) => {
    messages.push(message);
    changed();
  });
  const exited = new Promise<ProgramExit>((resolve) => {
    const end = (result: ProgramExit) => {
      exit ??= result;
      resolve(exit);
      changed();
    };
    child.once('error', (error) => {
      output += String(error);
      end({ code: null, signal: null });
    });
    child.once('close', (code, signal) => end({ code, signal }));
  });

  const waitFor = <T>(what: string, withinMs: number, look: () => T | undefined): Promise<T> =>
    new Promise((resolve, reject) => {
      const settle = (act: () => void) => {
        clearTimeout(timer);
        changes.removeEventListener('change', check);
        act();
      };
      const check = () => {
        const found = look();
        if (found !== undefined) settle(() => resolve(found));
        else if (exit) settle(() => reject(new Error(`ended before ${what}:\n${output}`)));
      };
      const timer = setTimeout(() => {
        settle(() => reject(new Error(`no ${what} within ${withinMs} ms:\n${output}`)));
      }, withinMs);
      changes.addEventListener('change', check);
      check();
    });

  return {
    pid: child.pid ?? 0,
    exited,
    output: () => output,
    waitForOutput: (pattern, withinMs = DEFAULT_WAIT_MS) =>
      waitFor(String(pattern), withinMs, () => output.match(pattern) ?? undefined),
    waitForMessage: (wanted, withinMs = DEFAULT_WAIT_MS) =>
      waitFor('message', withinMs, () => messages.find(wanted)),
    disconnect: () => child.disconnect(),
    signal: (name) => {
      if (!exit) child.kill(name);
    },
    async stop(withinMs = 15_000) {
      if (!exit) child.kill('SIGTERM');
      const insist = setTimeout(() => killGroup(child.pid ?? 0), withinMs);
      const result = await exited;
      clearTimeout(insist);
      killGroup(child.pid ?? 0);
      return result;
    },
  };
}

function killGroup(pid: number): void {
  if (pid <= 1) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Waits until there is no process with this id (zombies do not count). */
export async function waitUntilGone(pid: number, withinMs = DEFAULT_WAIT_MS): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (isRunning(pid)) {
    if (Date.now() > deadline) throw new Error(`process ${pid} is still there after ${withinMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

export function isRunning(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  return stdout.trim() !== '' && !stdout.trim().startsWith('Z');
}
