import type { ErrorCode } from '@isotherm/contracts/errors';
import { useEffect, useState } from 'react';
import { ApiError } from './api-error.ts';
import { serverNow } from './clock.ts';

/** After a failure the server is asked again soon, for as long as the page is open (decision 16). */
const RETRY_MS = 5_000;
/** A link that does not work, or is read too often, is tried rarely. */
const REFUSED_MS = 60_000;

/** How what a public link shows is read. */
export interface LinkedReading<View> {
  read(token: string, signal: AbortSignal): Promise<View>;
  everyMs: number;
  /** Errors after which nothing is shown any more, such as that the link was revoked. */
  refusals: readonly ErrorCode[];
}

/** What a page of a public link knows. Only the newest view is kept. */
export interface LinkedView<View> {
  view: View | null;
  /** When the view was read, by the clock of the server; epoch ms. */
  readAt: number;
  /** Since when the server cannot be reached; null: it can. */
  lostSince: number | null;
  /** Why nothing is shown; null: something is, or will be. */
  refused: ErrorCode | null;
}

const STARTING = { view: null, readAt: 0, lostSince: null, refused: null };

/** What is known after a failure, and when to try again. */
export function afterFailure<View>(
  state: LinkedView<View>,
  error: unknown,
  refusals: readonly ErrorCode[],
  now: number,
): [LinkedView<View>, number] {
  const code = error instanceof ApiError ? error.code : null;
  const refused = refusals.find((each) => each === code);
  if (refused) return [{ ...STARTING, refused }, REFUSED_MS];
  return [
    { ...state, lostSince: state.lostSince ?? now },
    code === 'request.too_many' ? REFUSED_MS : RETRY_MS,
  ];
}

/**
 * Reads what a public link shows again and again, for displays that nobody operates: while the server is away the last view stays,
 * and what was revoked or has expired disappears. `reading` must be the same object in each render.
 */
export function useLinkedView<View>(token: string, reading: LinkedReading<View>): LinkedView<View> {
  const [state, setState] = useState<LinkedView<View>>(STARTING);
  useEffect(() => {
    if (token === '') return;
    const stopping = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let known: LinkedView<View> = STARTING;
    const show = (next: LinkedView<View>) => {
      known = next;
      setState(next);
    };
    const read = async () => {
      let wait = reading.everyMs;
      try {
        const view = await reading.read(token, stopping.signal);
        if (stopping.signal.aborted) return;
        show({ ...STARTING, view, readAt: serverNow() });
      } catch (error) {
        if (stopping.signal.aborted) return;
        const [next, later] = afterFailure(known, error, reading.refusals, serverNow());
        show(next);
        wait = later;
      }
      timer = setTimeout(() => void read(), wait);
    };
    void read();
    return () => {
      stopping.abort();
      clearTimeout(timer);
    };
  }, [token, reading]);
  return token === '' ? { ...STARTING, refused: 'link.not_found' } : state;
}
