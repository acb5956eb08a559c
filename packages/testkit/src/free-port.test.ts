import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { freePort } from './free-port.ts';
import { startProgram } from './processes.ts';

test('processes that request a port at the same time get different ports, and each can listen on its own', async () => {
  const source = `
    import { freePort } from ${JSON.stringify(new URL('./free-port.ts', import.meta.url).href)};
    const ports = await Promise.all(Array.from({ length: 50 }, freePort));
    process.send(ports);
    process.on('disconnect', () => process.exit());`;
  const programs = Array.from({ length: 3 }, () =>
    startProgram({ args: ['--import', 'tsx', '--input-type=module', '--eval', source], ipc: true }),
  );
  const given = (
    await Promise.all(
      programs.map((program) =>
        program.waitForMessage((message): message is number[] => Array.isArray(message)),
      ),
    )
  ).flat();
  expect(new Set(given).size).toBe(150);
  for (const program of programs) await program.stop();

  const port = await freePort();
  expect(given).not.toContain(port);
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  server.close();
});

test('the port is outside the range of outgoing connections', async () => {
  expect(await freePort()).toBeLessThan(32_768);
});
