import { useEffect } from 'react';

/** Layers that close with what they opened; nobody was there before them. */
const LAYERS = '.ant-drawer, .ant-modal-root';

/**
 * Gives the focus back to the button or row that had it when this came (WCAG 2.4.3). For a drawer or dialog that is
 * mounted while it is open: antd gives back on closing only, and what is unmounted never gets there.
 * It stands before the layer, so that it sees who had the focus before the layer takes it, and after a layer
 * that left in the same turn has given it back.
 */
export function FocusReturn() {
  useEffect(() => {
    const opener = document.activeElement;
    return () => {
      const now = document.activeElement;
      // Whoever went elsewhere meanwhile, to another tab of the console, stays there.
      const mayMove = now === null || now === document.body || now.closest(LAYERS) !== null;
      if (mayMove && opener instanceof HTMLElement && opener.isConnected)
        opener.focus({ preventScroll: true });
    };
  }, []);
  return null;
}
