/**
 * Format of a firmware version, such as `2.4.0`, `2.4` or `2.4.0-rc.1`: up to four numbers, and a
 * pre-release as in semantic versioning.
 */
export const FIRMWARE_VERSION = /^\d{1,6}(\.\d{1,6}){0,3}(-[0-9A-Za-z]+(\.[0-9A-Za-z]+)*)?$/;

interface Version {
  numbers: number[];
  pre: string[];
}

function read(version: string): Version {
  const dash = version.indexOf('-');
  const release = dash === -1 ? version : version.slice(0, dash);
  return {
    numbers: release.split('.').map(Number),
    pre: dash === -1 ? [] : version.slice(dash + 1).split('.'),
  };
}

/** Compares two versions: negative if `a` precedes `b` in semantic versioning; `2.4` equals `2.4.0`. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [read(a), read(b)];
  for (let at = 0; at < Math.max(left.numbers.length, right.numbers.length); at++) {
    const difference = (left.numbers[at] ?? 0) - (right.numbers[at] ?? 0);
    if (difference !== 0) return difference;
  }
  // A release comes after its pre-releases.
  if (left.pre.length === 0 || right.pre.length === 0) return right.pre.length - left.pre.length;
  for (let at = 0; at < Math.min(left.pre.length, right.pre.length); at++) {
    const difference = comparePart(left.pre[at] as string, right.pre[at] as string);
    if (difference !== 0) return difference;
  }
  return left.pre.length - right.pre.length;
}

/** Compares two parts of a pre-release; numbers come before text. */
function comparePart(a: string, b: string): number {
  const [isNumber, isOther] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (isNumber && isOther) return Number(a) - Number(b);
  if (isNumber !== isOther) return isNumber ? -1 : 1;
  return a === b ? 0 : a < b ? -1 : 1;
}
