import { setFlagsFromString } from 'node:v8';
import { compose } from './compose.ts';
import { readConfig } from './config.ts';
import { systemClock } from './platform/clock.ts';
import { createLog } from './platform/log.ts';

/** The launcher waits four seconds before it ends what does not end. */
const DRAIN_WITHIN_MS = 3_800;

/**
 * Messages live until their commit: too long for V8's young generation, so that under load most of the old one is garbage.
 * On a machine with much memory V8 lets it grow to four times what is alive before it collects it; here by 30 %.
 */
setFlagsFromString('--heap-growing-percent=30');

/** To the launcher, when there is one. */
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
  // The launcher is gone: so are its database and this process' reason.
  process.on('disconnect', () => void stop('launcher gone'));

  const { url, mqttPort, tcpPort, accounts, setupUrl } = await starting;
  log.info({ url, mqttPort, tcpPort, roles: [...config.roles] }, 'isotherm is up');
  tell({ type: 'ready', url, mqttPort, tcpPort, accounts, ...(setupUrl ? { setupUrl } : {}) });
}

main().catch((error: Error) => {
  process.stderr.write(`isotherm could not start: ${error.message}\n`);
  process.exit(1);
});
