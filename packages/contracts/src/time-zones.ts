/**
 * Zones that runtimes still call by a name that the IANA has given up (CLDR keeps the first name of each for ever,
 * and names the one in use beside it in `timezone.xml`). Zones that were merged are none of these.
 */
const RENAMED: Readonly<Record<string, string>> = {
  'Africa/Asmera': 'Africa/Asmara',
  'America/Buenos_Aires': 'America/Argentina/Buenos_Aires',
  'America/Catamarca': 'America/Argentina/Catamarca',
  'America/Coral_Harbour': 'America/Atikokan',
  'America/Cordoba': 'America/Argentina/Cordoba',
  'America/Godthab': 'America/Nuuk',
  'America/Indianapolis': 'America/Indiana/Indianapolis',
  'America/Jujuy': 'America/Argentina/Jujuy',
  'America/Louisville': 'America/Kentucky/Louisville',
  'America/Mendoza': 'America/Argentina/Mendoza',
  'Asia/Calcutta': 'Asia/Kolkata',
  'Asia/Katmandu': 'Asia/Kathmandu',
  'Asia/Rangoon': 'Asia/Yangon',
  'Asia/Saigon': 'Asia/Ho_Chi_Minh',
  'Atlantic/Faeroe': 'Atlantic/Faroe',
  'Europe/Kiev': 'Europe/Kyiv',
  'Pacific/Enderbury': 'Pacific/Kanton',
  'Pacific/Ponape': 'Pacific/Pohnpei',
  'Pacific/Truk': 'Pacific/Chuuk',
};

export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** The name that is in use for a zone; the old one where this runtime does not know the new one yet. */
export function currentZone(name: string): string {
  const renamed = Object.hasOwn(RENAMED, name) ? RENAMED[name] : undefined;
  return renamed !== undefined && isTimeZone(renamed) ? renamed : name;
}

/** Every zone that this runtime knows, UTC among them, by the names that are in use. */
export function currentZones(): string[] {
  return [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone').map(currentZone)])];
}
