import { expect, it } from 'vitest';
import { zoneOffsetMinutes } from '../../../shared/format/time.ts';
import { nextZoneChange } from './zone-change.ts';

const NOW = Date.UTC(2026, 10, 21, 4, 30);

it.each([
  ['Asia/Shanghai', null],
  ['UTC', null],
  ['Europe/Madrid', { at: Date.UTC(2027, 2, 28, 1), offset: 120 }],
  ['America/New_York', { at: Date.UTC(2027, 2, 14, 7), offset: -240 }],
  ['Australia/Lord_Howe', { at: Date.UTC(2027, 3, 3, 15), offset: 630 }],
])('the next clock change of the zone %s is %j', (zone, change) => {
  expect(nextZoneChange(zone, NOW, zoneOffsetMinutes)).toEqual(change);
});
