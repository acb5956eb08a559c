import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { followedPositions, LEADER_MS } from './followed-device.ts';
import { isFix, type TimedPlace } from './track-faults.ts';

const MINUTE = 60_000;

interface Sent extends TimedPlace {
  deviceId: number;
}

const sent = (deviceId: number, minute: number, latitude = 31): Sent => ({
  deviceId,
  at: minute * MINUTE,
  latitude,
  longitude: latitude === 0 ? 0 : 121,
});
const every = (deviceId: number, from: number, to: number): Sent[] =>
  Array.from({ length: to - from }, (_, n) => sent(deviceId, from + n));
const followed = (all: readonly Sent[]) =>
  followedPositions(
    [...new Set(all.map(({ deviceId }) => deviceId))].map((deviceId) => ({
      deviceId,
      places: all.filter((each) => each.deviceId === deviceId).sort((one, other) => one.at - other.at),
    })),
  );
const runs = (all: readonly Sent[]) =>
  all.reduce<[device: number, from: number, to: number][]>((found, { deviceId, at }) => {
    const last = found.at(-1);
    if (last?.[0] === deviceId) last[2] = at / MINUTE;
    else found.push([deviceId, at / MINUTE, at / MINUTE]);
    return found;
  }, []);

describe('the device that is followed', () => {
  it.each<[string, Sent[], [number, number, number][]]>([
    ['no device', [], []],
    ['one device', every(7, 0, 5), [[7, 0, 4]]],
    ['two that send: the one with the lower id', [...every(2, 0, 30), ...every(1, 0, 30)], [[1, 0, 29]]],
    [
      'a device that was replaced at noon loses nothing but the change',
      [...every(2, 600, 700), ...every(5, 700, 760)],
      [
        [2, 600, 699],
        [5, 709, 759],
      ],
    ],
    [
      'a device with a lower id takes over at once',
      [...every(5, 0, 20), ...every(2, 10, 20)],
      [
        [5, 0, 9],
        [2, 10, 19],
      ],
    ],
    [
      'a short silence changes nothing, a long one does',
      [sent(1, 0), sent(1, 9), sent(1, 40), ...every(2, 0, 50)],
      [
        [1, 0, 9],
        [2, 19, 39],
        [1, 40, 40],
      ],
    ],
  ])('%s', (_, all, expected) => {
    expect(runs(followed(all))).toEqual(expected);
  });

  it('a position without a fix does not silence another device', () => {
    expect(followed([sent(1, 1, 0), sent(2, 2)])).toEqual([sent(1, 1, 0), sent(2, 2)]);
  });

  it('is the same for every range, order and number of devices, and as a search over all positions finds', () => {
    const position = fc.record({
      deviceId: fc.integer({ min: 1, max: 4 }),
      at: fc.oneof(
        fc.integer({ min: 0, max: 90 }).map((minute) => minute * MINUTE),
        fc.integer({ min: 0, max: 90 * MINUTE }),
      ),
      latitude: fc.constantFrom(0, 31, 31, 31),
    });
    const positions = fc
      .uniqueArray(position, { maxLength: 80, selector: ({ deviceId, at }) => `${deviceId} ${at}` })
      .map((all) => all.map((each): Sent => ({ ...each, longitude: each.latitude === 0 ? 0 : 121 })));
    const minute = fc.integer({ min: 0, max: 90 });
    fc.assert(
      fc.property(positions, minute, minute, (all, one, other) => {
        const whole = followed(all);
        const [from, to] = [Math.min(one, other) * MINUTE, Math.max(one, other) * MINUTE];
        const isInside = ({ at }: Sent) => at >= from && at < to;
        const part = followed(all.filter(({ at }) => at > from - LEADER_MS && at < to)).filter(isInside);
        expect(part).toEqual(whole.filter(isInside));
        const isLed = ({ deviceId, at }: Sent) =>
          all.some(
            (each) => each.deviceId < deviceId && isFix(each) && each.at <= at && each.at > at - LEADER_MS,
          );
        const inOrder = [...all].sort((a, b) => a.at - b.at || a.deviceId - b.deviceId);
        expect(whole).toEqual(inOrder.filter((each) => !isLed(each)));
      }),
    );
  });
});
