import { expect, it } from 'vitest';
import { nearestFirst } from './nearest-first.ts';

const ZONES = [
  { code: 'Pacific/Midway', offset: -660 },
  { code: 'Asia/Bangkok', offset: 420 },
  { code: 'Asia/Manila', offset: 480 },
  { code: 'Asia/Shanghai', offset: 480 },
  { code: 'Asia/Tokyo', offset: 540 },
];
const order = (own: string) => nearestFirst(ZONES, own).map(({ code }) => code);

it("the user's own zone comes first, then the zones with the nearest local time", () => {
  expect(order('Asia/Shanghai')).toEqual([
    'Asia/Shanghai',
    'Asia/Manila',
    'Asia/Bangkok',
    'Asia/Tokyo',
    'Pacific/Midway',
  ]);
});

it("the server's order is kept if the user's own zone is missing", () => {
  expect(order('Mars/Olympus')).toEqual(ZONES.map(({ code }) => code));
});
