import { expect, it } from 'vitest';
import { framesOf } from './frames.ts';

function streamOf(...pieces: number[][]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(Uint8Array.from(piece));
      controller.close();
    },
  });
}
async function sizesOf(stream: ReadableStream<Uint8Array>): Promise<number[]> {
  const sizes: number[] = [];
  for await (const frame of framesOf(stream)) sizes.push(frame.size);
  return sizes;
}

it.each<[string, number[][], number[]]>([
  ['one piece', [[0, 0, 0, 2, 1, 2, 0, 0, 0, 1, 3]], [2, 1]],
  ['several pieces that are cut anywhere', [[0], [0, 0], [2, 1], [2, 0, 0, 0], [1, 3]], [2, 1]],
  ['pieces of which the last one is missing', [[0, 0, 0, 2, 1, 2, 0, 0, 0, 9, 3]], [2]],
  ['nothing', [], []],
])('the images are read from a stream that arrives in %s', async (_words, pieces, sizes) => {
  expect(await sizesOf(streamOf(...pieces))).toEqual(sizes);
});

it('an impossible length of an image ends the stream', async () => {
  await expect(sizesOf(streamOf([0xff, 0xff, 0xff, 0xff, 0]))).rejects.toThrow();
});
