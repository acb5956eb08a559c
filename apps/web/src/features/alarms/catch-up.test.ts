import type { Alarm } from '@isotherm/contracts/alarms';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiError } from '../../shared/api/api-error.ts';
import { anAlarm } from '../../shared/testing/data.ts';
import { createCatchUp } from './catch-up.ts';

describe('fetching of missed alarms', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('missed alarms are fetched once if the request succeeds', async () => {
    const fetchSince = vi.fn(async () => [anAlarm({ id: 1 })]);
    const arrive = vi.fn();
    const catchUp = createCatchUp(fetchSince, arrive);
    catchUp.from(500);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(fetchSince.mock.calls).toEqual([[500]]);
    expect(arrive).toHaveBeenCalledExactlyOnceWith([anAlarm({ id: 1 })]);
  });

  it('the request for missed alarms is repeated until one succeeds, from the earliest of the requested times', async () => {
    const answers: (() => Promise<Alarm[]>)[] = [
      () => Promise.reject(new Error('database')),
      () => Promise.reject(new Error('database')),
      async () => [anAlarm({ id: 3 })],
    ];
    const fetchSince = vi.fn((_moment: number) => (answers.shift() as () => Promise<Alarm[]>)());
    const arrive = vi.fn();
    const catchUp = createCatchUp(fetchSince, arrive);
    catchUp.from(500);
    await vi.advanceTimersByTimeAsync(0);
    catchUp.from(900);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(fetchSince.mock.calls).toEqual([[500], [500], [500]]);
    expect(arrive).toHaveBeenCalledTimes(1);
  });

  it.each([
    { what: 'a caller who may not see alarms asks once', status: 403, calls: 1 },
    { what: 'a caller who asked too often asks again', status: 429, calls: 2 },
    { what: 'a server without its database is asked again', status: 503, calls: 2 },
  ])('missed alarms are requested again only if that can succeed: $what', async ({ status, calls }) => {
    const fetchSince = vi.fn(() => Promise.reject(new ApiError('refused', 'Refused.', status)));
    const catchUp = createCatchUp(fetchSince, vi.fn());
    catchUp.from(500);
    await vi.advanceTimersByTimeAsync(6_000);
    expect(fetchSince).toHaveBeenCalledTimes(calls);
    catchUp.stop();
  });

  it('alarms missed by another connection loss during a request are fetched, too', async () => {
    let answer: (alarms: Alarm[]) => void = () => undefined;
    const fetchSince = vi.fn((_moment: number) => new Promise<Alarm[]>((resolve) => (answer = resolve)));
    const catchUp = createCatchUp(fetchSince, vi.fn());
    catchUp.from(500);
    catchUp.from(900);
    answer([]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(fetchSince.mock.calls).toEqual([[500], [900]]);
  });

  it('missed alarms are no longer fetched after the console is left', async () => {
    const fetchSince = vi.fn(() => Promise.reject(new Error('gone')));
    const catchUp = createCatchUp(fetchSince, vi.fn());
    catchUp.from(500);
    catchUp.stop();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(fetchSince).toHaveBeenCalledTimes(1);
  });
});
