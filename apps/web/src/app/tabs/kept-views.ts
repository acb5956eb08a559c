/** Pages kept alive beside the open one; the one not seen for longest gives way. */
export const KEEPS_AT_MOST = 10;

/** One page that stands, shown or hidden. */
export interface View<T> {
  path: string;
  generation: number;
  /** Rises with each showing. */
  shownAt: number;
  content: T;
}

export interface Shown<T> {
  path: string;
  generation: number;
  content: T;
}

/**
 * The views after one page is shown. Their order is the order they were made in, because what moves in the
 * document loses where it was scrolled to. `stays` says of a hidden page whether it may be kept.
 */
export function withShown<T>(
  views: readonly View<T>[],
  shown: Shown<T>,
  stays: (path: string, generation: number) => boolean,
): readonly View<T>[] {
  const isShown = ({ path, generation }: Shown<T>) => path === shown.path && generation === shown.generation;
  const latest = Math.max(0, ...views.map(({ shownAt }) => shownAt));
  const next = views
    .filter((view) => isShown(view) || stays(view.path, view.generation))
    .map((view) => (isShown(view) ? { ...view, content: shown.content, shownAt: latest + 1 } : view));
  if (!next.some(isShown)) next.push({ ...shown, shownAt: latest + 1 });
  const hidden = next.filter((view) => !isShown(view)).sort((a, b) => b.shownAt - a.shownAt);
  const dropped = new Set(hidden.slice(KEEPS_AT_MOST));
  return next.filter((view) => !dropped.has(view));
}
