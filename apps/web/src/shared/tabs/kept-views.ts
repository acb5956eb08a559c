/**
 * Number of pages without unsaved input that are kept besides the open one. If there are more, the least
 * recently shown one is dropped.
 */
export const KEEPS_AT_MOST = 10;

/** A mounted page, either visible or hidden. */
export interface View<T> {
  path: string;
  generation: number;
  /** Sequence number of the last time the page was shown. */
  shownAt: number;
  content: T;
}

export interface Shown<T> {
  path: string;
  generation: number;
  content: T;
}

/** Returns the key of a mounted page. After a refresh, the same path has another key. */
export const pageKey = (path: string, generation: number): string => `${path}#${generation}`;

/**
 * Returns the mounted pages after one is shown. They stay in the order of their creation, because an element
 * that moves in the document loses its scroll position.
 *
 * @param stays whether a hidden page may be kept at all
 * @param hasUnsaved whether a page has unsaved input; such a page is never dropped because of its age
 */
export function withShown<T>(
  views: readonly View<T>[],
  shown: Shown<T>,
  stays: (path: string, generation: number) => boolean,
  hasUnsaved: (path: string, generation: number) => boolean = () => false,
): readonly View<T>[] {
  const isShown = ({ path, generation }: Shown<T>) => path === shown.path && generation === shown.generation;
  const latest = Math.max(0, ...views.map(({ shownAt }) => shownAt));
  const next = views
    .filter((view) => isShown(view) || stays(view.path, view.generation))
    .map((view) => (isShown(view) ? { ...view, content: shown.content, shownAt: latest + 1 } : view));
  if (!next.some(isShown)) next.push({ ...shown, shownAt: latest + 1 });
  const mayBeDropped = next
    .filter((view) => !isShown(view) && !hasUnsaved(view.path, view.generation))
    .sort((a, b) => b.shownAt - a.shownAt);
  const dropped = new Set(mayBeDropped.slice(KEEPS_AT_MOST));
  return next.filter((view) => !dropped.has(view));
}
