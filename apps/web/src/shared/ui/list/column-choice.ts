import { useStored } from '../stored.ts';
import type { ListColumn } from './list-types.ts';

interface Choice {
  /** Column keys in the chosen order. */
  order: string[];
  hidden: string[];
}
const NONE: Choice = { order: [], hidden: [] };

function isChoice(value: unknown): value is Choice {
  const choice = value as Choice | null;
  return Array.isArray(choice?.order) && Array.isArray(choice?.hidden);
}

export interface ColumnChoice<Item> {
  /** All columns in the chosen order; pinned columns come first. */
  all: readonly ListColumn<Item>[];
  shown: readonly ListColumn<Item>[];
  isShown: (key: string) => boolean;
  toggle: (key: string) => void;
  /** Moves a column one position forward (-1) or backward (1). */
  move: (key: string, by: -1 | 1) => void;
  /** Moves a column to the position before another one. */
  place: (key: string, before: string) => void;
  reset: () => void;
  changed: boolean;
}

/** Hook for the visible columns of a list and their order, which the browser stores for each list. */
export function useColumnChoice<Item>(
  name: string,
  columns: readonly ListColumn<Item>[],
): ColumnChoice<Item> {
  const [stored, store] = useStored<Choice | null>(
    `isotherm.columns.${name}`,
    null,
    (value): value is Choice | null => isChoice(value),
  );
  const offered = columns.filter((column) => column.offered).map(({ key }) => key);
  const choice = stored ?? { ...NONE, hidden: offered };
  const rank = (column: ListColumn<Item>) => {
    if (column.pinned) return -1;
    const place = choice.order.indexOf(column.key);
    return place < 0 ? choice.order.length + columns.indexOf(column) : place;
  };
  const all = [...columns].sort((a, b) => rank(a) - rank(b) || columns.indexOf(a) - columns.indexOf(b));
  const isShown = (key: string) =>
    columns.some((column) => column.key === key && (column.pinned || !choice.hidden.includes(key)));
  const reorder = (keys: string[]) => store({ ...choice, order: keys });
  const movable = all.filter((column) => !column.pinned).map(({ key }) => key);
  return {
    all,
    shown: all.filter(({ key }) => isShown(key)),
    isShown,
    toggle: (key) =>
      store({
        order: choice.order,
        hidden: choice.hidden.includes(key)
          ? choice.hidden.filter((each) => each !== key)
          : [...choice.hidden, key],
      }),
    move: (key, by) => {
      const from = movable.indexOf(key);
      const to = from + by;
      if (to < 0 || to >= movable.length) return;
      reorder(movable.toSpliced(from, 1).toSpliced(to, 0, key));
    },
    place: (key, before) => {
      if (key === before) return;
      const rest = movable.filter((each) => each !== key);
      reorder(rest.toSpliced(rest.indexOf(before), 0, key));
    },
    reset: () => store(null),
    changed: stored !== null,
  };
}
