import { useEffect, useRef } from 'react';

/** Ctrl or ⌘ with K opens the search (ui.md 9). */
export function useSearchKey(open: () => void): void {
  const told = useRef(open);
  told.current = open;
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey) return;
      event.preventDefault();
      told.current();
    };
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, []);
}

/** The shortcut as named on this keyboard. */
export function searchKeyName(): string {
  return /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘ K' : 'Ctrl K';
}
