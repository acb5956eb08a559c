import { useEffect, useRef } from 'react';
import { useBlocker, useLocation } from 'react-router';
import { useText } from '../i18n/use-text.ts';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { pageKey } from './kept-views.ts';
import { useTabs } from './tabs-store.ts';
import { answerUnsaved, askBeforeLosing, unsavedOn, useUnsavedStore } from './unsaved-store.ts';

/**
 * Asks before unsaved input is lost. It is mounted once around all pages, because a router supports only one
 * blocker and forms cannot block separately.
 */
export function UnsavedGuard() {
  const { text } = useText();
  const works = useUnsavedStore((state) => state.works);
  const question = useUnsavedStore((state) => state.question);
  const blocker = useBlocker(({ currentLocation, nextLocation }) => {
    const isSamePage = currentLocation.pathname === nextLocation.pathname;
    if (isSamePage && currentLocation.search === nextLocation.search) return false;
    // A page that is kept alive behind another tab keeps its input, so no question is needed.
    const tab = useTabs.getState().tabs.find(({ path }) => path === currentLocation.pathname);
    if (!isSamePage && tab && !tab.noCache) return unframed().length > 0;
    return unsavedOn(new Set([keyOf(currentLocation.pathname)])).length + unframed().length > 0;
  });
  const { pathname } = useLocation();
  const asked = useRef(false);
  useEffect(() => {
    if (blocker.state !== 'blocked') {
      asked.current = false;
      return;
    }
    if (asked.current) return;
    asked.current = true;
    const ids = [...unsavedOn(new Set([keyOf(pathname)])), ...unframed()];
    askBeforeLosing(
      ids,
      () => blocker.proceed?.(),
      () => blocker.reset?.(),
    );
  }, [blocker, pathname]);

  const isDirty = works.size > 0;
  useEffect(() => {
    if (!isDirty) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', warn);
    return () => window.removeEventListener('beforeunload', warn);
  }, [isDirty]);

  return question ? (
    <ConfirmDialog
      title={text('common.form.leave-title')}
      confirmLabel={text('common.form.leave')}
      cancelLabel={text('common.form.stay')}
      onConfirm={() => answerUnsaved('discard')}
      onClose={() => answerUnsaved('keep')}
    >
      {text('common.form.leave-reason')}
    </ConfirmDialog>
  ) : null;
}

/** Returns the key of the mounted page at a path. */
function keyOf(path: string): string {
  return pageKey(path, useTabs.getState().generations[path] ?? 0);
}

/** Returns the ids of unsaved work outside the frame with the tabs. Every navigation would discard it. */
function unframed(): string[] {
  return [...useUnsavedStore.getState().works].filter(([, { page }]) => page === null).map(([id]) => id);
}
