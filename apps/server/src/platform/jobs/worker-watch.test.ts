import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Sightings } from './worker-watch.ts';

const DEAD_AFTER = 30;

test('a worker counts as dead when its heartbeat has not changed for a given time', () => {
  const sightings = new Sightings();
  const seen = (at: string) => new Map([['w', at]]);
  expect(sightings.look(seen('1'), 0, DEAD_AFTER)).toEqual([]);
  expect(sightings.look(seen('1'), 29, DEAD_AFTER)).toEqual([]);
  expect(sightings.look(seen('1'), 30, DEAD_AFTER)).toEqual(['w']);
  expect(sightings.look(seen('2'), 60, DEAD_AFTER)).toEqual([]);
});

test('after a failed check or a pause of the checking process, the time without a heartbeat is counted from the beginning', () => {
  const sightings = new Sightings();
  const workers = new Map([['w', '1']]);
  sightings.look(workers, 0, DEAD_AFTER);
  sightings.forget();
  expect(sightings.look(workers, 30, DEAD_AFTER)).toEqual([]);
  sightings.look(new Map(), 40, DEAD_AFTER);
  expect(sightings.look(workers, 60, DEAD_AFTER)).toEqual([]);
});

test('with any clock changes, a worker with heartbeats counts as alive, and one without eventually counts as dead', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.record({
          pause: fc.integer({ min: 1, max: 20 }),
          clock: fc.integer({ min: -1000, max: 1000 }),
          fails: fc.boolean(),
        }),
        {
          maxLength: 30,
        },
      ),
      (looks) => {
        const sightings = new Sightings();
        let at = 0;
        let signs = 0;
        for (const { pause, clock, fails } of looks) {
          at += pause;
          if (fails) {
            sightings.forget();
            continue;
          }
          // A living worker has a different heartbeat each time, from a clock that may jump either way.
          const workers = new Map([
            ['alive', `${clock} ${signs++}`],
            ['dead', 'long ago'],
          ]);
          expect(sightings.look(workers, at, DEAD_AFTER)).not.toContain('alive');
        }
        const gone = new Map([['dead', 'long ago']]);
        sightings.look(gone, at, DEAD_AFTER);
        expect(sightings.look(gone, at + DEAD_AFTER, DEAD_AFTER)).toEqual(['dead']);
      },
    ),
  );
});
