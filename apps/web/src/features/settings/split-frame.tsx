import { type ReactNode, useEffect, useRef } from 'react';
import { useText } from '../../shared/i18n/use-text.ts';
import { Button } from '../../shared/ui/button.tsx';
import { Icon } from '../../shared/ui/icon.tsx';
import { useNarrow } from '../../shared/ui/use-narrow.ts';

/** A list next to the selected record. On a phone only one of them is shown, with a back link. */
export function SplitFrame({
  list,
  chosen,
  onBack,
  tree = false,
  children,
}: {
  list: ReactNode;
  /** True if the address selects the record, false if it is selected by default. */
  chosen: boolean;
  onBack: () => void;
  /** A tree needs more width than a list. */
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
    // After the list is rendered again, the focus returns to the entry that was open.
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
