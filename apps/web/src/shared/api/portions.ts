import { type BatchResult, MOST_AT_ONCE } from '@isotherm/contracts/batches';

/** Sends a batch of any length in requests of `MOST_AT_ONCE` records, one after the other; returns all results as one. */
export async function inPortions<B extends { ids: unknown[] }>(
  body: B,
  send: (body: B) => Promise<BatchResult>,
): Promise<BatchResult> {
  const all: BatchResult = { success: 0, fail: 0, failures: [] };
  for (let at = 0; at < body.ids.length; at += MOST_AT_ONCE) {
    const result = await send({ ...body, ids: body.ids.slice(at, at + MOST_AT_ONCE) });
    all.success += result.success;
    all.fail += result.fail;
    all.failures.push(...result.failures);
  }
  return all;
}
