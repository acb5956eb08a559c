let zone = 'UTC';

/**
 * The time zone in which *now* and *today* of the date pickers are. A picker asks for them without a context, and is
 * loaded with the first page that needs one, so the zone is kept here.
 */
export const pickerZone = (): string => zone;

export function setPickerZone(next: string): void {
  zone = next;
}
