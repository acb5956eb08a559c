import { setMaxListeners } from 'node:events';

/**
 * Returns a signal that is aborted after this time in ms, or when one of the others is. `AbortSignal.any` with
 * `AbortSignal.timeout` must not be used for this: Node 20 may collect the time-out as garbage, so that it never comes.
 */
export function abortAfter(ms: number, ...others: readonly AbortSignal[]): AbortSignal {
  const controller = new AbortController();
  const end = (reason: unknown) => {
    clearTimeout(timer);
    for (const [other, listener] of listeners) other.removeEventListener('abort', listener);
    controller.abort(reason);
  };
  const timer = setTimeout(() => end(new DOMException('The time is up.', 'TimeoutError')), ms);
  timer.unref();
  const listeners = new Map(others.map((other) => [other, () => end(other.reason)]));
  for (const [other, listener] of listeners) {
    // One signal may end any number of operations.
    setMaxListeners(0, other);
    if (other.aborted) end(other.reason);
    else other.addEventListener('abort', listener);
  }
  return controller.signal;
}
