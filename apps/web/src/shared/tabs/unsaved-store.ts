import { create } from 'zustand';

/** Input that would be lost: of a form, an editor, a panel. */
interface UnsavedWork {
  /** Key of the page that it belongs to; null outside the tab frame. */
  page: string | null;
  /** Rises with each registration, so that what a page no longer has can be told from what it has. */
  order: number;
  /** Puts the input back to what is saved. */
  discard: () => void;
}

interface Question {
  ids: readonly string[];
  proceed: () => void;
  cancel: () => void;
}

interface UnsavedStore {
  works: ReadonlyMap<string, UnsavedWork>;
  /** What the person is being asked; null while nothing is. */
  question: Question | null;
}

export const useUnsavedStore = create<UnsavedStore>(() => ({ works: new Map(), question: null }));

let order = 0;

/** A number between the registrations before it and those after it. */
export const unsavedMark = (): number => order;

export function keepUnsaved(id: string, page: string | null, discard: () => void): void {
  order += 1;
  const work = { page, order, discard };
  useUnsavedStore.setState(({ works }) => ({ works: new Map(works).set(id, work) }));
}

function forget(doomed: (id: string, work: UnsavedWork) => boolean): void {
  const { works } = useUnsavedStore.getState();
  const left = new Map([...works].filter(([id, work]) => !doomed(id, work)));
  if (left.size !== works.size) useUnsavedStore.setState({ works: left });
}

export function forgetUnsaved(id: string): void {
  forget((each) => each === id);
}

/** Forgets the work of pages that have ended. */
export function forgetPages(alive: ReadonlySet<string>): void {
  forget((_, { page }) => page !== null && !alive.has(page));
}

/** Forgets what a page had before the mark and has no longer, now that it is shown again. */
export function forgetStale(page: string, mark: number): void {
  forget((_, work) => work.page === page && work.order <= mark);
}

/** Ids of the unsaved work on these pages; of all pages where none are named. */
export function unsavedOn(pages?: ReadonlySet<string>): string[] {
  return [...useUnsavedStore.getState().works]
    .filter(([, { page }]) => pages === undefined || (page !== null && pages.has(page)))
    .map(([id]) => id);
}

/**
 * Does it at once where nothing would be lost; asks first where something would. *Discard* puts the input back, so
 * that it is neither left behind in the form nor unguarded afterwards.
 */
export function askBeforeLosing(
  ids: readonly string[],
  proceed: () => void,
  cancel: () => void = () => undefined,
): void {
  const known = ids.filter((id) => useUnsavedStore.getState().works.has(id));
  if (known.length === 0) proceed();
  else useUnsavedStore.setState({ question: { ids: known, proceed, cancel } });
}

/** Answers the open question. */
export function answerUnsaved(answer: 'discard' | 'keep'): void {
  const { question, works } = useUnsavedStore.getState();
  if (!question) return;
  useUnsavedStore.setState({ question: null });
  if (answer === 'keep') {
    question.cancel();
    return;
  }
  for (const id of question.ids) works.get(id)?.discard();
  forget((id) => question.ids.includes(id));
  question.proceed();
}
