import { afterAll, beforeAll, expect, test } from 'vitest';
import { FLEET_ASSETS } from '../fleet/catalogue.ts';
import { cameraAt, startControlServer } from './control-server.ts';
import type { Member } from './member.ts';

const member = {
  asset: FLEET_ASSETS.find(({ code }) => code === 'FR-03'),
  values: () => ({ 'temperature-1': 4.8, 'door-1': 0, 'power-1': 1 }),
} as unknown as Member;

let control: Awaited<ReturnType<typeof startControlServer>>;
beforeAll(async () => {
  control = await startControlServer(0, [member], () => true);
});
afterAll(() => control.stop());

test('a camera sends JPEG images one after the other', async () => {
  const answer = await fetch(cameraAt(control.port)('FR-03'));
  expect(answer.headers.get('content-type')).toBe('multipart/x-mixed-replace; boundary=picture');
  const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
  let text = '';
  while (text.split('--picture').length < 3) {
    const { value } = await reader.read();
    text += Buffer.from(value ?? []).toString('latin1');
  }
  await reader.cancel();
  const [head = '', first = ''] = text.split('--picture\r\n')[1]?.split(/\r\n\r\n(.*)/s) ?? [];
  expect(head).toContain('content-type: image/jpeg');
  expect(first.slice(0, 3)).toBe('\xff\xd8\xff');
  expect(Number(/content-length: (\d+)/.exec(head)?.[1])).toBe(first.length - '\r\n'.length);
});

test('a request for the camera of an unknown asset fails', async () => {
  expect((await fetch(cameraAt(control.port)('FR-99'))).status).toBe(404);
});
