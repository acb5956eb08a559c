import { useEffect, useRef } from 'react';

/** Opens the search by Ctrl+K or ⌘K (ui.md 9). */
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

/** Returns the name of the shortcut on this platform. */
export function searchKeyName(): string {
  return /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘ K' : 'Ctrl K';
}
