/**
 * Holds a slot until the stream was read to its end or abandoned. This is not a generator, because a
 * generator that is abandoned before its first chunk never reaches its `finally`.
 */
export function untilRead(
  portions: AsyncIterable<Uint8Array>,
  release: () => void,
): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]() {
      const iterator = portions[Symbol.asyncIterator]();
      return {
        async next() {
          try {
            const result = await iterator.next();
            if (result.done) release();
            return result;
          } catch (error) {
            release();
            throw error;
          }
        },
        async return() {
          release();
          await iterator.return?.();
          return { done: true, value: undefined };
        },
      };
    },
  };
}
