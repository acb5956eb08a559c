import { create } from 'zustand';

/** Unsaved input of a form, editor or panel. */
interface UnsavedWork {
  /** Key of the page that contains the unsaved input; null outside the frame with the tabs. */
  page: string | null;
  /** Sequence number of the registration, by which outdated ones are recognised. */
  order: number;
  /** Resets the input to the saved state. */
  discard: () => void;
}

interface Question {
  ids: readonly string[];
  proceed: () => void;
  cancel: () => void;
}

interface UnsavedStore {
  works: ReadonlyMap<string, UnsavedWork>;
  /** The question that is shown; null if there is none. */
  question: Question | null;
}

export const useUnsavedStore = create<UnsavedStore>(() => ({ works: new Map(), question: null }));

let order = 0;

/** Returns a number that separates earlier registrations from later ones. */
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

/** Removes the registrations of pages that are closed. */
export function forgetPages(alive: ReadonlySet<string>): void {
  forget((_, { page }) => page !== null && !alive.has(page));
}

/** Removes the registrations that a page made before the mark. It is called after the page is shown again. */
export function forgetStale(page: string, mark: number): void {
  forget((_, work) => work.page === page && work.order <= mark);
}

/** Returns the ids of unsaved work on these pages, or on all pages. */
export function unsavedOn(pages?: ReadonlySet<string>): string[] {
  return [...useUnsavedStore.getState().works]
    .filter(([, { page }]) => pages === undefined || (page !== null && pages.has(page)))
    .map(([id]) => id);
}

/**
 * Runs the action at once if nothing would be lost, otherwise asks first. *Discard* resets the input, so
 * that the form does not ask again.
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

/** Answers the question that is shown. */
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
