/**
 * Names that the system gives to channels and sensors: of what is measured, and where. Such a name is stored as its
 * key in `{name:…}` and written in the reader's language wherever it leaves the server; a name that a person typed has
 * no such part and is shown as it was typed.
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

/** What is stored as a name that the system gives. */
export function systemName(name: SystemName): string {
  return `${OPENING}${name}}`;
}

/** A stored text with its system names in words; a key that is not known stays as it is written. */
export function replaceSystemNames(stored: string, wordOf: (name: SystemName) => string): string {
  if (!stored.includes(OPENING)) return stored;
  return stored.replace(PART, (part, key: string) => (isSystemName(key) ? wordOf(key) : part));
}

function isSystemName(key: string): key is SystemName {
  return (SYSTEM_NAMES as readonly string[]).includes(key);
}
