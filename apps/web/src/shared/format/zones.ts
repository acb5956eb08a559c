import { currentZones } from '@isotherm/contracts/time-zones';
import { browserZone, offsetName, zoneOffsetMinutes } from './time.ts';

let known: { value: string; label: string }[] | null = null;

/** Every zone that this browser knows with its offset of now, the nearest to UTC\u221212 first; made once. */
export function zoneOptions(): readonly { value: string; label: string }[] {
  if (known) return known;
  const now = Date.now();
  const codes = [...new Set([browserZone(), ...currentZones()])];
  known = codes
    .map((value) => ({ value, offset: zoneOffsetMinutes(value, now) }))
    .sort((a, b) => a.offset - b.offset || a.value.localeCompare(b.value))
    .map(({ value, offset }) => ({ value, label: `${value} (${offsetName(offset)})` }));
  return known;
}
