import { expect, it } from 'vitest';
import { ApiError } from './api-error.ts';
import { afterFailure, type LinkedView } from './use-linked-view.ts';

const STATE: LinkedView<string> = { view: 'vehicles', readAt: 1, lostSince: null, refused: null };
const REFUSALS = ['link.not_found', 'screen.inactive'] as const;
const after = (state: LinkedView<string>, error: unknown, now: number) =>
  afterFailure(state, error, REFUSALS, now);

it('after a failure the last view stays, with the time of the first failure', () => {
  const [lost, soon] = after(STATE, new TypeError('no network'), 100);
  expect([lost, soon]).toEqual([{ ...STATE, lostSince: 100 }, 5_000]);
  expect(after(lost, new TypeError('no network'), 200)[0].lostSince).toBe(100);
});

it('a server that is asked too often is asked rarely, and the view stays', () => {
  expect(after(STATE, new ApiError('request.too_many', 'Too many', 429), 100)).toEqual([
    { ...STATE, lostSince: 100 },
    60_000,
  ]);
});

it.each(REFUSALS)('after the refusal %s nothing is shown, until the server answers again', (code) => {
  expect(after(STATE, new ApiError(code, 'Refused', 404), 100)).toEqual([
    { view: null, readAt: 0, lostSince: null, refused: code },
    60_000,
  ]);
});

it('an error that is no refusal of this page is a failure', () => {
  expect(
    afterFailure(STATE, new ApiError('screen.inactive', 'Ended', 409), ['link.not_found'], 100)[0].view,
  ).toBe('vehicles');
});
