import { offsetOf } from '@isotherm/domain/readings/local-days';

const LOCAL = /^(\d{4})[-/](\d{1,2})[-/](\d{1,2})[ T](\d{1,2}):(\d{2})(?::(\d{2}))?$/;

/**
 * Reads a time of a cell: `2027-12-25 08:30` in the time zone of the organisation, or ISO 8601 with an offset.
 * Returns ISO 8601 in UTC, null if it is no time.
 */
export function momentOf(text: string, zone: string): string | null {
  const local = LOCAL.exec(text);
  if (!local) {
    if (!/^\d{4}-\d{2}-\d{2}T.*(Z|[+-]\d{2}:\d{2})$/.test(text)) return null;
    const at = Date.parse(text);
    return Number.isNaN(at) ? null : new Date(at).toISOString();
  }
  const [year, month, day, hour, minute, second] = local.slice(1).map((part) => Number(part ?? 0)) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const wall = Date.UTC(year, month - 1, day, hour, minute, second);
  const read = new Date(wall);
  const isDate = read.getUTCMonth() === month - 1 && read.getUTCDate() === day && read.getUTCHours() === hour;
  if (!isDate || minute > 59 || second > 59) return null;
  const offsetAt = offsetOf(zone);
  // The offset at the time itself; the first guess is off by the offset.
  return new Date(wall - offsetAt(wall - offsetAt(wall))).toISOString();
}

/** Writes a time as `2027-12-25 08:30` with the offset of its zone. */
export function localMoment(at: number, offsetAt: (at: number) => number): string {
  return new Date(at + offsetAt(at)).toISOString().slice(0, 16).replace('T', ' ');
}

/** A separator with exactly three digits behind it: `2,400` and `2.400` may be 2400 or 2.4. */
const MAY_BE_THOUSANDS = /^-?[1-9]\d{0,2}[.,]\d{3}$/;

/**
 * A number of a text cell; a decimal comma is accepted. Other text, and text that may have a thousands separator,
 * stays text, so that the schema rejects it.
 */
export function numberOf(text: string): number | string {
  return /^-?\d+([.,]\d+)?$/.test(text) && !MAY_BE_THOUSANDS.test(text)
    ? Number(text.replace(',', '.'))
    : text;
}

/** Writes a number so that `numberOf` reads it again. */
export function numberText(value: number): string {
  const text = String(value);
  return MAY_BE_THOUSANDS.test(text) ? `${text}0` : text;
}
