import { type ReactNode, useEffect, useRef } from 'react';
import { useText } from '../../shared/i18n/use-text.ts';
import { Button } from '../../shared/ui/button.tsx';
import { Icon } from '../../shared/ui/icon.tsx';
import { useNarrow } from '../../shared/ui/use-narrow.ts';

/** A list and what was chosen from it, side by side; on a phone one at a time, with a way back. */
export function SplitFrame({
  list,
  chosen,
  onBack,
  tree = false,
  children,
}: {
  list: ReactNode;
  /** By the address, not by default. */
  chosen: boolean;
  onBack: () => void;
  /** A tree takes more room than a list. */
  tree?: boolean;
  children: ReactNode;
}) {
  const { text } = useText();
  const narrow = useNarrow();
  const frame = useRef<HTMLDivElement>(null);
  const back = useRef<HTMLButtonElement>(null);
  const detail = narrow && chosen;
  useEffect(() => {
    if (!detail) return;
    frame.current?.scrollIntoView({ block: 'start' });
    back.current?.focus({ preventScroll: true });
    const { current } = frame;
    // The list is drawn again by the time this one has gone: on to the entry that was open.
    return () => queueMicrotask(() => current?.querySelector<HTMLElement>('[aria-current]')?.focus());
  }, [detail]);
  return (
    <div ref={frame} className={tree ? 'settings-split settings-split-tree' : 'settings-split'}>
      {detail ? (
        <Button ref={back} variant="quiet" className="settings-back" onClick={onBack}>
          <Icon name="left" />
          {text('settings.back')}
        </Button>
      ) : (
        list
      )}
      {narrow && !chosen ? null : children}
    </div>
  );
}
