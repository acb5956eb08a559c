let zone = 'UTC';

/**
 * Returns the time zone for *now* and *today* in date pickers. It is stored in this module because a picker
 * cannot read React context; the module is loaded with the first page that needs a picker.
 */
export const pickerZone = (): string => zone;

export function setPickerZone(next: string): void {
  zone = next;
}
