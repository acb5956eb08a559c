import { compose } from './compose.ts';
import { readConfig } from './config.ts';
import { systemClock } from './platform/clock.ts';
import { createLog } from './platform/log.ts';

const DRAIN_WITHIN_MS = 8_000;

/** To the launcher, when there is one. */
function tell(message: object): void {
  if (process.connected) process.send?.(message);
}

async function main(): Promise<void> {
  const config = readConfig(process.env, process.argv.slice(2));
  const log = createLog(config.logLevel, config.logPretty);
  const server = await compose(config, systemClock, log, (text) => tell({ type: 'progress', text }));
  log.info({ url: server.url, mqttPort: server.mqttPort, roles: [...config.roles] }, 'isotherm is up');
  tell({
    type: 'ready',
    url: server.url,
    mqttPort: server.mqttPort,
    accounts: server.accounts,
    ...(server.setupUrl ? { setupUrl: server.setupUrl } : {}),
  });

  let stopping = false;
  const stop = async (reason: string) => {
    if (stopping) return;
    stopping = true;
    log.info({ reason }, 'draining');
    setTimeout(() => process.exit(1), DRAIN_WITHIN_MS).unref();
    await server.stop();
    log.info('stopped');
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(signal));
  // The launcher is gone: so are its database and this process' reason.
  process.on('disconnect', () => void stop('launcher gone'));
}

main().catch((error: Error) => {
  process.stderr.write(`isotherm could not start: ${error.message}\n`);
  process.exit(1);
});
