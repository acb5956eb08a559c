import { useEffect } from 'react';

/** Layers that were opened and closed together with this one. */
const LAYERS = '.ant-drawer, .ant-modal-root';

/**
 * Returns the focus to the button or row that had it before (WCAG 2.4.3). For a drawer or dialog that is
 * mounted while it is open: antd returns the focus on closing only, not on unmounting. Placed before the
 * layer, so that it reads the focus before the layer takes it, and after a layer closed in the same turn has
 * returned it.
 */
export function FocusReturn() {
  useEffect(() => {
    const opener = document.activeElement;
    return () => {
      const now = document.activeElement;
      // Does not take the focus from another tab of the console.
      const mayMove = now === null || now === document.body || now.closest(LAYERS) !== null;
      if (mayMove && opener instanceof HTMLElement && opener.isConnected)
        opener.focus({ preventScroll: true });
    };
  }, []);
  return null;
}
