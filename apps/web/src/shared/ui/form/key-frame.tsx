import type { KeyboardEvent, ReactNode } from 'react';

/**
 * Frame that handles keys before the component inside it. A key for which `take` returns true is not passed
 * on.
 */
export function KeyFrame({
  take,
  children,
}: {
  take: (event: KeyboardEvent) => boolean;
  children: ReactNode;
}) {
  return (
    <div role="presentation" onKeyDownCapture={(event) => take(event) && event.stopPropagation()}>
      {children}
    </div>
  );
}

/** Returns true for Tab. Tab should only move the focus, but a select would also select the marked option. */
export const isTab = (event: KeyboardEvent): boolean => event.key === 'Tab';
