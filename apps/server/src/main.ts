import { setFlagsFromString } from 'node:v8';
import { compose } from './compose.ts';
import { readConfig } from './config.ts';
import { systemClock } from './platform/clock.ts';
import { createLog } from './platform/log.ts';

/** Time limit for requests in progress; the launcher kills the process after four seconds. */
const DRAIN_WITHIN_MS = 3_800;

/**
 * Messages live until their commit, which is too long for V8's young generation, so that under load most of
 * the old generation is garbage. On a machine with much memory V8 lets the heap grow to four times the live
 * data before a collection; this limits the growth to 30 %.
 */
setFlagsFromString('--heap-growing-percent=30');

/** Sends a message to the launcher, if there is one. */
function tell(message: object): void {
  if (process.connected) process.send?.(message);
}

async function main(): Promise<void> {
  const config = readConfig(process.env, process.argv.slice(2));
  const log = createLog(config.logLevel, config.logPretty);
  const starting = compose(config, systemClock, log, (text) => tell({ type: 'progress', text }));

  let stopping = false;
  const stop = async (reason: string) => {
    if (stopping) return;
    stopping = true;
    log.info({ reason }, 'draining');
    setTimeout(() => process.exit(1), DRAIN_WITHIN_MS).unref();
    await (await starting).stop();
    log.info('stopped');
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(signal));
  // The launcher has ended, and its database with it, so the server stops.
  process.on('disconnect', () => void stop('launcher gone'));

  const { url, mqttPort, tcpPort, accounts, setupUrl } = await starting;
  log.info({ url, mqttPort, tcpPort, roles: [...config.roles] }, 'isotherm is up');
  tell({ type: 'ready', url, mqttPort, tcpPort, accounts, ...(setupUrl ? { setupUrl } : {}) });
  // The launcher prints the setup link; without it, the link is logged here, because it is the only way to
  // create the first account.
  if (setupUrl && !process.connected)
    process.stdout.write(`Create the first administrator (valid until there is an account): ${setupUrl}\n`);
}

main().catch((error: Error) => {
  process.stderr.write(`isotherm could not start: ${error.message}\n`);
  process.exit(1);
});
