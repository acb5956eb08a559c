import { type RefObject, useEffect, useState } from 'react';

export interface FullScreen {
  isOn: boolean;
  /** True after an attempt that the browser cannot fulfil. */
  isUnsupported: boolean;
  toggle(): void;
}

/** Shows an element in full screen, where the browser can. */
export function useFullScreen(element: RefObject<HTMLElement | null>): FullScreen {
  const [isOn, setOn] = useState(false);
  const [isUnsupported, setUnsupported] = useState(false);
  useEffect(() => {
    // Pages that are kept alive behind other tabs have elements of their own.
    const read = () => setOn(element.current !== null && document.fullscreenElement === element.current);
    document.addEventListener('fullscreenchange', read);
    return () => document.removeEventListener('fullscreenchange', read);
  }, [element]);
  return {
    isOn,
    isUnsupported,
    toggle() {
      if (document.fullscreenElement) return void document.exitFullscreen();
      // Browsers on phones have no such function, and frames without permission refuse it.
      if (!document.fullscreenEnabled || !element.current) return setUnsupported(true);
      element.current.requestFullscreen().then(
        () => setUnsupported(false),
        () => setUnsupported(true),
      );
    },
  };
}
