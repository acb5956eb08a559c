const KEY = 'isotherm.tabs';

/** Tabs that this browser tab keeps over a reload; the reader must validate them. */
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

/** Logout closes all tags (requirements §4). */
export function forgetTabs(): void {
  sessionStorage.removeItem(KEY);
}
