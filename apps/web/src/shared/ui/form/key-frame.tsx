import type { KeyboardEvent, ReactNode } from 'react';

/** Sees keys before the part inside does: what `take` answers true for goes no further. */
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

/** Tab only leaves: a select would choose the line that happens to be marked. */
export const isTab = (event: KeyboardEvent): boolean => event.key === 'Tab';
