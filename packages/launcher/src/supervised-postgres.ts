import { setTimeout as sleep } from 'node:timers/promises';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@isotherm/postgres/embedded-postgres';

export interface SupervisedPostgres {
  connectionString: string;
  stop(hurry: AbortSignal): Promise<void>;
}

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 15_000;

/** Starts an embedded PostgreSQL that is restarted when it ends unexpectedly. Its address does not change. */
export async function supervisePostgres(
  dataDir: string,
  logFile: string,
  report: (text: string) => void,
): Promise<SupervisedPostgres> {
  let stopping = false;
  let revival: Promise<void> | undefined;
  const start = () => startEmbeddedPostgres({ dataDir, logFile, onExit: revive });
  let postgres: EmbeddedPostgres;

  function revive(code: number | null, signal: NodeJS.Signals | null): void {
    if (stopping) return;
    report(`PostgreSQL ended unexpectedly (${code ?? signal}); see ${logFile}. It is started again.`);
    revival = keepTrying();
  }

  async function keepTrying(): Promise<void> {
    for (let pause = FIRST_PAUSE_MS; !stopping; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      try {
        postgres = await start();
        report('PostgreSQL is back.');
        return;
      } catch (error) {
        report(`PostgreSQL did not start: ${(error as Error).message}`);
        await sleep(pause);
      }
    }
  }

  postgres = await start();
  return {
    connectionString: postgres.connectionString,
    async stop(hurry) {
      stopping = true;
      await revival;
      const kill = () => void postgres.stop('SIGQUIT');
      hurry.addEventListener('abort', kill, { once: true });
      await postgres.stop(hurry.aborted ? 'SIGQUIT' : 'SIGINT');
      hurry.removeEventListener('abort', kill);
    },
  };
}
