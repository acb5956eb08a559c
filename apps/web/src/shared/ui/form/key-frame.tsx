import type { KeyboardEvent, ReactNode } from 'react';

/** Handles keys before the component inside: a key for which `take` returns true is not passed on. */
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

/** Tab only moves the focus: a select would select the marked option. */
export const isTab = (event: KeyboardEvent): boolean => event.key === 'Tab';
