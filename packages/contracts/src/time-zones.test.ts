import { expect, it } from 'vitest';
import { currentZone, currentZones, isTimeZone } from './time-zones.ts';

const OLD =
  /Calcutta|Katmandu|Rangoon|Saigon|Faeroe|Kiev|Godthab|Asmera|Ponape|Truk|Enderbury|America\/Buenos/;

it('time zones are listed by their current names, each once, including UTC', () => {
  const zones = currentZones();
  expect(zones.filter((zone) => OLD.test(zone))).toEqual([]);
  expect(new Set(zones).size).toBe(zones.length);
  expect(zones).toContain('UTC');
  expect(zones).toContain('Asia/Kolkata');
  expect(zones.length).toBeGreaterThan(400);
});

it('a renamed time zone equals the old one', () => {
  const clock = (timeZone: string) =>
    new Intl.DateTimeFormat('en', { timeZone, dateStyle: 'full', timeStyle: 'long' }).format(
      1_780_000_000_000,
    );
  for (const old of Intl.supportedValuesOf('timeZone')) expect(clock(currentZone(old))).toBe(clock(old));
});

it.each([
  ['Asia/Calcutta', 'Asia/Kolkata'],
  ['Asia/Kolkata', 'Asia/Kolkata'],
  ['Europe/Amsterdam', 'Europe/Amsterdam'],
  ['constructor', 'constructor'],
])('the current name of the time zone %s is %s', (old, current) => {
  expect(currentZone(old)).toBe(current);
});

it.each([
  ['Asia/Calcutta', true],
  ['Mars/Olympus', false],
])('%s is a valid time zone: %s', (name, known) => {
  expect(isTimeZone(name)).toBe(known);
});
