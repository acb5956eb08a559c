import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { createPlaces, untilRead } from './places.ts';

const portion = Buffer.from('x');
async function* three() {
  for (let i = 0; i < 3; i++) yield portion;
}
async function* broken() {
  yield portion;
  throw new Error('the database is away');
}

it('gives as many places as there are, and each back once', () => {
  const places = createPlaces(2);
  const [first, second] = [places.take(), places.take()];
  expect(places.take()).toBeNull();
  first?.();
  first?.();
  expect(places.take()).not.toBeNull();
  expect(places.take()).toBeNull();
  second?.();
  expect(places.take()).not.toBeNull();
});

it.each<[string, () => AsyncIterable<Uint8Array>, (stream: Readable) => void]>([
  ['read to its end', three, (stream) => stream.resume()],
  ['broken in the middle', broken, (stream) => stream.resume()],
  ['left in the middle', three, (stream) => stream.once('data', () => stream.destroy())],
  ['never read', three, (stream) => stream.destroy()],
])('a place is free again when its stream was %s', async (_name, portions, meet) => {
  const places = createPlaces(1);
  const stream = Readable.from(untilRead(portions(), places.take() as () => void), { objectMode: false });
  expect(places.take()).toBeNull();
  stream.on('error', () => undefined);
  const closed = new Promise((resolve) => stream.once('close', resolve));
  meet(stream);
  await closed;
  await expect.poll(() => places.take()).not.toBeNull();
});
