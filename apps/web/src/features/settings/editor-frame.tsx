import { type ReactNode, useEffect, useRef } from 'react';
import { useNarrow } from '../../shared/ui/use-narrow.ts';

/** What was chosen from the list beside it; on a phone it stands below, and is brought into sight. */
export function EditorFrame({ chosen, children }: { chosen: boolean; children: ReactNode }) {
  const frame = useRef<HTMLElement>(null);
  const narrow = useNarrow();
  useEffect(() => {
    if (narrow && chosen) frame.current?.scrollIntoView({ block: 'start' });
  }, [narrow, chosen]);
  return (
    <section ref={frame} className="panel settings-editor">
      {children}
    </section>
  );
}
