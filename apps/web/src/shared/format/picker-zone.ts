let zone = 'UTC';

/**
 * The zone of *now* and *today* in date pickers. It is stored here because a picker has no context, and is
 * loaded with the first page that needs one.
 */
export const pickerZone = (): string => zone;

export function setPickerZone(next: string): void {
  zone = next;
}
