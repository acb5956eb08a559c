import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { distanceToFenceM, type FenceShape, isBeyondEnds, prepareFence } from './fence.ts';
import { changesOf, type FenceEvent, type FenceVersion, isSettled, judgeFences } from './fence-judge.ts';
import { type DeviceTrack, fenceWindow } from './fence-window.ts';
import { LEADER_MS } from './followed-device.ts';
import { faultsOf, type TimedPlace } from './track-faults.ts';

const MINUTE = 60_000;
/** A place `metres` east of the centre of the fence. */
const at = (minute: number, metres: number): TimedPlace => ({
  at: minute * MINUTE,
  latitude: 0,
  longitude: 10 + metres / 111_195,
});
const depot: FenceShape = { kind: 'circle', centre: { latitude: 0, longitude: 10 }, radiusM: 500 };
const route: FenceShape = {
  kind: 'corridor',
  sideM: 200,
  line: [at(0, 0), at(0, 20_000)],
};
const version = (shape: FenceShape, more: Partial<FenceVersion> = {}): FenceVersion => ({
  id: 1,
  fenceId: 1,
  from: 0,
  until: Number.POSITIVE_INFINITY,
  marginM: 100,
  dwellMs: null,
  fence: prepareFence(shape, 100),
  ...more,
});
const eventsOf = (
  versions: readonly FenceVersion[],
  positions: readonly TimedPlace[],
  { before = null, start = 0, open = [], now = 0 }: Partial<Case> = {},
) => judgeFences(versions, { positions, before, start, end: Infinity }, open, now * MINUTE).map(told);
interface Case {
  before: TimedPlace | null;
  start: number;
  open: FenceEvent[];
  now: number;
}
const told = ({ kind, at: when, until }: FenceEvent) =>
  `${kind} ${when / MINUTE}${until === null ? '' : ` to ${until / MINUTE}`}`;

describe('events', () => {
  it.each<[string, TimedPlace[], string[]]>([
    ['no position', [], []],
    ['far away', [at(1, 90_000)], []],
    ['from outside to inside', [at(1, 900), at(2, 400)], ['enter 2']],
    ['inside from the first position on', [at(1, 100)], ['found 1']],
    ['in and out', [at(1, 900), at(2, 400), at(3, 900)], ['enter 2 to 3', 'leave 3']],
    [
      'noise at the edge is no event',
      [at(1, 900), at(2, 490), at(3, 520), at(4, 590), at(5, 480)],
      ['enter 2'],
    ],
    ['noise outside is no event', [at(1, 900), at(2, 550), at(3, 510)], []],
    ['twice', [at(1, 9), at(2, 900), at(3, 9)], ['found 1 to 2', 'leave 2', 'enter 3']],
  ])('%s', (_, positions, events) => {
    expect(eventsOf([version(depot)], positions)).toEqual(events);
  });

  it.each<[string, TimedPlace[], string[]]>([
    ['the end of the route', [at(1, 19_900), at(2, 21_000)], ['found 1 to 2', 'leave 2']],
    [
      'aside',
      [at(1, 5_000), { ...at(2, 5_000), latitude: 0.01 }, at(3, 6_000)],
      ['found 1 to 2', 'off-route 2', 'enter 3'],
    ],
  ])('a corridor is left: %s', (_, positions, events) => {
    expect(eventsOf([version(route)], positions)).toEqual(events);
  });

  it('an edit moves no asset: it is found in the new shape', () => {
    const wider = version({ ...depot, radiusM: 2_000 } as FenceShape, { id: 2, from: 3 * MINUTE });
    const versions = [version(depot, { until: 3 * MINUTE }), wider];
    const positions = [at(1, 100), at(2, 1_000), at(4, 1_000), at(5, 3_000)];
    expect(eventsOf(versions, positions)).toEqual(['found 1 to 2', 'leave 2', 'found 3 to 5', 'leave 5']);
    expect(eventsOf(versions, [at(1, 100), at(4, 50)])).toEqual(['found 1 to 3', 'found 3']);
    // Before a position is known after the edit, nothing is.
    expect(eventsOf(versions, [at(1, 100)])).toEqual(['found 1']);
  });

  it('a version that ended before is judged only while a stay in it lasts', () => {
    const ended = version(depot, { until: 2 * MINUTE });
    const stay = judgeFences(
      [ended],
      { positions: [at(1, 0)], before: null, start: 0, end: Infinity },
      [],
      0,
    );
    expect(eventsOf([ended], [at(3, 0)], { start: 3 * MINUTE, before: at(1, 0) })).toEqual([]);
    expect(eventsOf([ended], [at(3, 0)], { start: 3 * MINUTE, before: at(1, 0), open: stay })).toEqual([
      'found 1 to 2',
    ]);
  });
});

describe('dwell', () => {
  const slow = version(depot, { dwellMs: 10 * MINUTE });
  it.each<[string, TimedPlace[], number, string[]]>([
    ['too short', [at(0, 900), at(1, 0), at(5, 900)], 60, ['enter 1 to 5', 'leave 5']],
    ['long enough', [at(0, 900), at(1, 0), at(11, 900)], 60, ['enter 1 to 11', 'dwell 11', 'leave 11']],
    ['nothing more arrived', [at(0, 900), at(1, 0)], 11, ['enter 1', 'dwell 11']],
    ['the time is not over', [at(0, 900), at(1, 0)], 10, ['enter 1']],
  ])('%s', (_, positions, now, events) => {
    expect(eventsOf([slow], positions, { now })).toEqual(events);
  });

  it('a stay that lasts says when it becomes a dwell', () => {
    const judged = judgeFences(
      [slow],
      { positions: [at(1, 0)], before: null, start: 0, end: Infinity },
      [],
      0,
    );
    expect(judged.map(({ dueAt }) => dueAt)).toEqual([11 * MINUTE]);
  });

  it('a fence that was edited meanwhile begins anew', () => {
    const versions = [
      { ...slow, until: 8 * MINUTE },
      { ...slow, id: 2, from: 8 * MINUTE },
    ];
    expect(eventsOf(versions, [at(1, 0), at(9, 0)], { now: 30 })).toEqual([
      'found 1 to 8',
      'found 8',
      'dwell 18',
    ]);
  });
});

describe('window', () => {
  const track = (deviceId: number, places: TimedPlace[], isComplete = true, isCut = false): DeviceTrack => ({
    deviceId,
    places,
    isComplete,
    isCut,
  });
  const minutes = (from: number, to: number, metres = 0) =>
    Array.from({ length: to - from + 1 }, (_, index) => at(from + index, metres));

  it('begins two positions before the first new one', () => {
    expect(fenceWindow([track(1, minutes(0, 9))], 8 * MINUTE, 9 * MINUTE)).toEqual({
      start: 5 * MINUTE + 1,
      before: at(5, 0),
      positions: minutes(6, 9),
      end: Infinity,
    });
    expect(fenceWindow([track(1, minutes(0, 1))], 0, 0)).toEqual({
      start: 0,
      before: null,
      positions: minutes(0, 1),
      end: Infinity,
    });
    expect(fenceWindow([track(1, [])], 5, 5)).toEqual({
      start: 0,
      before: null,
      positions: [],
      end: Infinity,
    });
  });

  it('needs enough earlier positions to decide which are faults', () => {
    expect(fenceWindow([track(1, minutes(5, 9), false)], 8 * MINUTE, 9 * MINUTE)).toBeNull();
    expect(fenceWindow([track(1, minutes(3, 9), false)], 8 * MINUTE, 9 * MINUTE)).toMatchObject({
      before: at(5, 0),
    });
    const jumps = [...minutes(0, 2), at(3, 9e6), at(4, -9e6), at(5, 5e6), ...minutes(6, 9)];
    expect(fenceWindow([track(1, jumps.slice(1), false)], 8 * MINUTE, 9 * MINUTE)).toBeNull();
    expect(fenceWindow([track(1, jumps, false)], 8 * MINUTE, 9 * MINUTE)).toMatchObject({ before: at(2, 0) });
  });

  it('ends where later positions do not depend on the new ones', () => {
    const cut = (to: number, latest: number) =>
      fenceWindow([track(1, minutes(0, to), true, true)], 3 * MINUTE, latest * MINUTE);
    expect(cut(8, 4)).toBeNull();
    expect(cut(9, 4)).toMatchObject({ positions: minutes(1, 7), end: 7 * MINUTE });
    const two = (to: number) =>
      fenceWindow([track(1, minutes(0, to), true, true), track(2, [])], 3 * MINUTE, 4 * MINUTE);
    expect(two(18)).toBeNull();
    expect(two(19)).toMatchObject({ end: 17 * MINUTE });
  });

  it('a second device is followed only while the first one is silent', () => {
    const tracks = [track(2, minutes(0, 30, 50)), track(1, [at(5, 0), at(6, 0)])];
    const { positions } = fenceWindow(tracks, 0, 0) ?? { positions: [] };
    expect(positions).toEqual([...minutes(0, 4, 50), at(5, 0), at(6, 0), ...minutes(16, 30, 50)]);
  });
});

describe('any order of arrival gives the same events', () => {
  interface Sent extends TimedPlace {
    deviceId: number;
  }
  const versions = [
    version(depot, { until: 25 * MINUTE, dwellMs: 6 * MINUTE }),
    version(depot, { id: 2, from: 25 * MINUTE, marginM: 20 }),
    version(route, { id: 3, fenceId: 2, from: 5 * MINUTE }),
  ];
  const now = 1e9;

  /** All events of a history, judged at once without windows, fence by fence and place by place. */
  function reference(sent: readonly Sent[]): string[] {
    const inOrder = [...sent].sort((a, b) => a.at - b.at || a.deviceId - b.deviceId);
    const followed = inOrder.filter(
      ({ at: when, deviceId }) =>
        !inOrder.some((o) => o.deviceId < deviceId && o.at <= when && o.at > when - LEADER_MS),
    );
    const faults = faultsOf(followed);
    const valid = followed.filter((_, index) => faults[index] === null);
    const events: string[] = [];
    for (const { id, from, until, fence, marginM, dwellMs } of versions) {
      const own = valid.filter((p) => p.at >= from && p.at < until);
      const last = valid.filter((p) => p.at < from).at(-1);
      const next = valid.find((p) => p.at >= until);
      if (valid.every((p) => p.at < from)) continue;
      let inside: { kind: string; at: number } | null =
        last && distanceToFenceM(fence, last) <= 0 && (own[0] ?? next) ? { kind: 'found', at: from } : null;
      if (!own[0]) inside = null;
      let isKnown = last !== undefined;
      const end = (to: number | null) => {
        if (!inside) return;
        events.push(`${id} ${inside.kind} ${inside.at} ${to}`);
        const due = dwellMs === null ? Infinity : inside.at + dwellMs;
        if (due <= (to ?? Math.min(now, until))) events.push(`${id} dwell ${due} null`);
        inside = null;
      };
      for (const p of own) {
        const metres = distanceToFenceM(fence, p);
        if (!inside && metres <= 0) inside = { kind: isKnown ? 'enter' : 'found', at: p.at };
        else if (inside && metres > marginM) {
          end(p.at);
          events.push(
            `${id} ${fence.shape.kind === 'corridor' && !isBeyondEnds(fence, p) ? 'off-route' : 'leave'} ${p.at} null`,
          );
        }
        isKnown = true;
      }
      end(next ? until : null);
    }
    return events.sort();
  }

  /** Keeps events as the server does: each arrival is judged with what was stored before. */
  function arriving(batches: readonly (readonly Sent[])[]): string[] {
    const stored: Sent[] = [];
    let rows: FenceEvent[] = [];
    for (const batch of batches) {
      for (const each of batch)
        if (!stored.some((o) => o.at === each.at && o.deviceId === each.deviceId)) stored.push(each);
      const since = Math.min(...batch.map((each) => each.at));
      const latest = Math.max(...batch.map((each) => each.at));
      for (let count = 1; ; count *= 2) {
        const window = fenceWindow(loaded(stored, since, latest, count), since, latest);
        if (!window) continue;
        const judged = judgeFences(versions, window, rows, now);
        if (!isSettled(judged, rows, window.end)) continue;
        const { gone, changed } = changesOf(versions, window, rows, judged);
        const keyOf = ({ versionId, kind, at: when }: FenceEvent) => `${versionId} ${kind} ${when}`;
        const replaced = new Set([...gone, ...changed].map(keyOf));
        rows = [...rows.filter((row) => !replaced.has(keyOf(row))), ...changed];
        break;
      }
    }
    return rows.map(({ versionId, kind, at: when, until }) => `${versionId} ${kind} ${when} ${until}`).sort();
  }

  function loaded(stored: readonly Sent[], since: number, latest: number, count: number): DeviceTrack[] {
    return [...new Set(stored.map(({ deviceId }) => deviceId))].map((deviceId) => {
      const own = stored.filter((each) => each.deviceId === deviceId).sort((a, b) => a.at - b.at);
      const from = Math.max(0, own.filter((each) => each.at < since).length - count);
      const to = own.filter((each) => each.at <= latest).length + count;
      return { deviceId, places: own.slice(from, to), isComplete: from === 0, isCut: to < own.length };
    });
  }

  it('later events stay if the asset is in the same fences as before', () => {
    const [stay] = judgeFences(
      [version(depot)],
      { positions: [at(1, 0)], before: null, start: 0, end: Infinity },
      [],
      0,
    );
    const known = [stay as FenceEvent];
    expect(isSettled(known, known, 5 * MINUTE)).toBe(true);
    expect(isSettled(known, [], 5 * MINUTE)).toBe(false);
    expect(isSettled(known, [], Infinity)).toBe(true);
    expect(isSettled(known, [{ ...(stay as FenceEvent), versionId: 9 }], 5 * MINUTE)).toBe(false);
  });

  it('a dwell that was recorded when it became due is no change', () => {
    const slow = [version(depot, { dwellMs: 10 * MINUTE })];
    const first = { positions: [at(1, 0)], before: null, start: 0, end: Infinity };
    const known = judgeFences(slow, first, [], 30 * MINUTE);
    const next = { positions: [at(20, 0)], before: at(15, 0), start: 15 * MINUTE + 1, end: Infinity };
    const judged = judgeFences(slow, next, known, 30 * MINUTE);
    expect(judged.map(told)).toEqual(['found 1', 'dwell 11']);
    expect(changesOf(slow, next, known.slice(0, 1), judged)).toEqual({ gone: [], changed: [] });
  });

  it('stays in fences that apply no more end without an event', () => {
    const window = { positions: [at(5, 0)], before: at(2, 0), start: 2 * MINUTE + 1, end: Infinity };
    const stay = judgeFences(
      [version(depot)],
      { ...window, positions: [at(1, 0)], before: null, start: 0 },
      [],
      0,
    );
    expect(changesOf([], window, stay, []).changed.map(told)).toEqual(['found 1 to 5']);
    expect(changesOf([], window, [{ ...(stay[0] as FenceEvent), until: 3 * MINUTE }], [])).toEqual({
      gone: [],
      changed: [],
    });
  });

  const sent = fc.record({
    deviceId: fc.constantFrom(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2),
    minute: fc.integer({ min: 0, max: 60 }),
    metres: fc.constantFrom(0, 300, 480, 510, 560, 650, 2_000, 9_000, 19_900, 21_000, 3_000_000, -3_000_000),
    north: fc.constantFrom(0, 0, 0, 0.01),
  });
  it('with late, repeated and faulty positions of two devices, and edits of the fence', () => {
    fc.assert(
      fc.property(
        fc.array(sent, { minLength: 1, maxLength: 90, size: 'max' }),
        fc.array(fc.nat(5)),
        fc.infiniteStream(fc.nat()),
        (all, sizes, order) => {
          const unique = new Map(all.map((each) => [`${each.deviceId} ${each.minute}`, each]));
          const history: Sent[] = [...unique.values()].map(({ deviceId, minute, metres, north }) => ({
            ...at(minute, metres),
            latitude: north,
            deviceId,
          }));
          const shuffled = [...history, ...history.slice(0, 3)]
            .map((each) => ({ each, key: order.next().value as number }))
            .sort((a, b) => a.key - b.key)
            .map(({ each }) => each);
          const batches: Sent[][] = [];
          for (let turn = 0; shuffled.length > 0; turn++)
            batches.push(shuffled.splice(0, 1 + (sizes[turn] ?? 0)));
          expect(arriving(batches)).toEqual(reference(history));
        },
      ),
      { numRuns: 1_000, seed: 16 },
    );
  });
});
