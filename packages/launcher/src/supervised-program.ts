import { type ChildProcess, fork } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { type ChildMessage, isChildMessage } from './messages.ts';

export interface ProgramOptions {
  /** Name of the program in messages, such as `server`. */
  name: string;
  /** If a required program cannot start, the launcher fails. Other programs are retried. */
  required: boolean;
  module: string;
  nodeOptions: string[];
  args: string[];
  env: NodeJS.ProcessEnv;
  logFile: string;
  onMessage(message: ChildMessage): void;
  /** Prints a line about the end or a restart of the program. */
  report(text: string): void;
  /** Time in ms to finish open work after SIGTERM. */
  drainMs: number;
}

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
/** After a program has run for this time, its next restart is immediate again, without backoff. */
const STEADY_AFTER_MS = 60_000;

/**
 * A child program that is restarted when it ends. It has its own process group, so that Ctrl-C reaches only
 * the launcher. It ends when the IPC channel closes, so that it does not outlive a killed launcher.
 */
export class SupervisedProgram {
  readonly #options: ProgramOptions;
  #child: ChildProcess | undefined;
  #again: NodeJS.Timeout | undefined;
  #pauseMs = FIRST_PAUSE_MS;
  #stopping = false;
  #wasReady = false;
  #replacing = false;

  constructor(options: ProgramOptions) {
    this.#options = options;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /**
   * Resolves when the program reports that it is ready. Rejects if the program is required and ends before.
   */
  start(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#run(resolve, reject);
    });
  }

  #run(onReady: () => void, onFailure: (error: Error) => void): void {
    const { name, required, module, nodeOptions, args, env, logFile, onMessage, report } = this.#options;
    const startedAt = performance.now();
    const log = openSync(logFile, 'a', 0o600);
    const child = fork(module, args, {
      env,
      execArgv: nodeOptions,
      stdio: ['ignore', log, log, 'ipc'],
      detached: true,
    });
    closeSync(log);
    this.#child = child;
    child.on('message', (message) => {
      if (!isChildMessage(message) || this.#stopping) return;
      onMessage(message);
      if (message.type === 'ready') {
        this.#wasReady = true;
        onReady();
      }
    });
    child.once('exit', (code, signal) => {
      if (this.#stopping) return;
      if (this.#replacing) {
        this.#replacing = false;
        this.#run(() => report(`The ${name} runs with the changes.`), onFailure);
        return;
      }
      if (!this.#wasReady && required) {
        onFailure(new Error(`The ${name} did not start (${code ?? signal}).\n${lastLines(logFile)}`));
        return;
      }
      if (performance.now() - startedAt > STEADY_AFTER_MS) this.#pauseMs = FIRST_PAUSE_MS;
      report(
        `The ${name} ended unexpectedly (${code ?? signal}); see ${logFile}. ` +
          `It is started again in ${this.#pauseMs / 1000} s.`,
      );
      this.#startLater(this.#wasReady ? () => report(`The ${name} is back.`) : onReady, onFailure);
    });
  }

  #startLater(onReady: () => void, onFailure: (error: Error) => void): void {
    this.#again = setTimeout(() => this.#run(onReady, onFailure), this.#pauseMs);
    this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS);
  }

  /** Restarts the program, or starts it now if it is waiting for its next attempt. */
  replace(): void {
    if (this.#stopping) return;
    this.#pauseMs = FIRST_PAUSE_MS;
    const child = this.#child;
    if (child && child.exitCode === null && child.signalCode === null) {
      this.#replacing = true;
      child.kill('SIGTERM');
      return;
    }
    clearTimeout(this.#again);
    this.#startLater(
      () => this.#options.report(`The ${this.#options.name} is back.`),
      () => undefined,
    );
  }

  /** Asks the program to finish and waits for its end. Kills it after `drainMs` or on `hurry`. */
  async stop(hurry: AbortSignal): Promise<void> {
    this.#stopping = true;
    clearTimeout(this.#again);
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    const kill = () => child.kill('SIGKILL');
    const insist = setTimeout(kill, this.#options.drainMs);
    hurry.addEventListener('abort', kill, { once: true });
    child.kill(hurry.aborted ? 'SIGKILL' : 'SIGTERM');
    await ended;
    clearTimeout(insist);
    hurry.removeEventListener('abort', kill);
  }
}

function lastLines(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').slice(-8).join('\n') : '';
}
