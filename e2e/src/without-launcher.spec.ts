import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '@isotherm/postgres/embedded-postgres';
import { DIST, SECRET } from '@isotherm/testkit/demo-server';
import { freePort } from '@isotherm/testkit/free-port';
import { startProgram } from '@isotherm/testkit/processes';
import { expect, onTestFinished, test } from 'vitest';

// In a container or under systemd, the server runs without the launcher (docs/deployment.md).
test('without the launcher, the server prints the link for the first administrator', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'isotherm-e2e-'));
  const postgres = await startEmbeddedPostgres({
    dataDir: join(folder, 'postgres'),
    logFile: join(folder, 'postgres.log'),
  });
  const server = startProgram({
    args: [join(DIST, 'main.js')],
    env: {
      DATABASE_URL: postgres.connectionString,
      PORT: String(await freePort()),
      MQTT_PORT: String(await freePort()),
      ISOTHERM_TCP_PORT: String(await freePort()),
      ISOTHERM_SECRET: SECRET,
    },
  });
  onTestFinished(async () => {
    await server.stop();
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const [, link = ''] = await server.waitForOutput(
    /first administrator .*: (http\S+\/setup\?token=\S+)/,
    60_000,
  );
  expect((await fetch(link)).status).toBe(200);
  expect((await server.stop()).code).toBe(0);
});
