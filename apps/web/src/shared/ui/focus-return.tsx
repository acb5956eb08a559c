import { useEffect } from 'react';

/** Drawers and dialogs, which may be opened and closed together with this one. */
const LAYERS = '.ant-drawer, .ant-modal-root';

/**
 * Returns the focus to the button or row that had it before (WCAG 2.4.3). It is used for drawers and dialogs
 * that are mounted only while they are open, because antd returns the focus on closing only and not on
 * unmounting. It is placed before the drawer or dialog, so that it reads the focus before the drawer takes
 * it, and after one that was closed in the same event has returned it.
 */
export function FocusReturn() {
  useEffect(() => {
    const opener = document.activeElement;
    return () => {
      const now = document.activeElement;
      // The focus is not taken from another tab of the console.
      const mayMove = now === null || now === document.body || now.closest(LAYERS) !== null;
      if (mayMove && opener instanceof HTMLElement && opener.isConnected)
        opener.focus({ preventScroll: true });
    };
  }, []);
  return null;
}
