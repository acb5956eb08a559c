/**
 * System names of channels and sensors. They consist of the quantity and the place of measurement. Such a
 * name is stored as a key, `{name:…}`, and translated into the user's language wherever it leaves the
 * server. A name that a user entered contains no key and is shown as entered.
 */
export const SYSTEM_NAMES = [
  'acceleration',
  'air',
  'air-bottom-shelf',
  'air-door-side',
  'air-far-end',
  'air-top-shelf',
  'amplitude',
  'battery',
  'button',
  'carbon-dioxide',
  'defrost',
  'door',
  'front',
  'humidity',
  'illuminance',
  'inside',
  'load',
  'main-unit',
  'mains-power',
  'oxygen',
  'pallet',
  'rear-door-side',
  'return-air',
  'signal',
  'slope',
  'supply-air',
  'temperature',
  'vehicle-voltage',
] as const;

export type SystemName = (typeof SYSTEM_NAMES)[number];

const PART = /\{name:([a-z-]+)\}/g;
const OPENING = '{name:';

/** Returns the stored form of a system name. */
export function systemName(name: SystemName): string {
  return `${OPENING}${name}}`;
}

/** Returns a stored text with its system names translated; an unknown key stays unchanged. */
export function replaceSystemNames(stored: string, wordOf: (name: SystemName) => string): string {
  if (!stored.includes(OPENING)) return stored;
  return stored.replace(PART, (part, key: string) => (isSystemName(key) ? wordOf(key) : part));
}

function isSystemName(key: string): key is SystemName {
  return (SYSTEM_NAMES as readonly string[]).includes(key);
}
