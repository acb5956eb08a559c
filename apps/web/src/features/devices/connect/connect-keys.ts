/**
 * Keys of devices that were registered on this page load, by number: the server shows a key once, and the
 * examples of the connection page use it. Only in memory; gone when the page is reloaded.
 */
const keys = new Map<string, string>();

export const rememberKey = (number: string, key: string): void => void keys.set(number, key);

export const rememberedKey = (number: string): string => keys.get(number) ?? '';
