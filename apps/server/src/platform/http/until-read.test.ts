import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { createGate } from '../gate.ts';
import { untilRead } from './until-read.ts';

const portion = Buffer.from('x');
async function* three() {
  for (let i = 0; i < 3; i++) yield portion;
}
async function* broken() {
  yield portion;
  throw new Error('the database is away');
}

it.each<[string, () => AsyncIterable<Uint8Array>, (stream: Readable) => void]>([
  ['read to its end', three, (stream) => stream.resume()],
  ['broken in the middle', broken, (stream) => stream.resume()],
  ['abandoned in the middle', three, (stream) => stream.once('data', () => stream.destroy())],
  ['never read', three, (stream) => stream.destroy()],
])('the reserved place is released after its stream was %s', async (_name, portions, meet) => {
  const gate = createGate({ atOnce: 1, waiting: 0 }, () => new Error('full'));
  const stream = Readable.from(untilRead(portions(), await gate.enter()), { objectMode: false });
  await expect(gate.enter()).rejects.toThrow('full');
  stream.on('error', () => undefined);
  const closed = new Promise((resolve) => stream.once('close', resolve));
  meet(stream);
  await closed;
  await expect
    .poll(() =>
      gate.enter().then(
        () => true,
        () => false,
      ),
    )
    .toBe(true);
});
