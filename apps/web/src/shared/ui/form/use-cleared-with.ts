import { useEffect, useRef } from 'react';
import { useField } from './form-context.ts';

/**
 * Clears a field when another value changes, for example the id of a target when its kind changes: the id of an
 * asset is not that of a group.
 */
export function useClearedWith(name: string, value: unknown): void {
  const { set } = useField(name);
  const shown = useRef(value);
  useEffect(() => {
    if (shown.current !== value) set(undefined);
    shown.current = value;
  });
}
