/**
 * Keys of the devices that were registered since the page was loaded, by device number. The server shows a
 * key only once, and the examples of the connection page use it. The keys are kept in memory only and are
 * lost when the page is reloaded.
 */
const keys = new Map<string, string>();

export const rememberKey = (number: string, key: string): void => void keys.set(number, key);

export const rememberedKey = (number: string): string => keys.get(number) ?? '';
