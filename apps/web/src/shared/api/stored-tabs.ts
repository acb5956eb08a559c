const KEY = 'isotherm.tabs';

/** Returns the open pages that this browser tab keeps when it is reloaded. The caller must validate them. */
export function readStoredTabs(): unknown[] {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? '[]');
    return Array.isArray(stored) ? stored : [];
  } catch {
    return [];
  }
}

export function storeTabs(tabs: readonly unknown[]): void {
  sessionStorage.setItem(KEY, JSON.stringify(tabs));
}

/** Removes the stored pages: a logout closes all of them (requirements §4). */
export function forgetTabs(): void {
  sessionStorage.removeItem(KEY);
}
