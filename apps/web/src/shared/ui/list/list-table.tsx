import Dropdown from 'antd/es/dropdown';
import { type KeyboardEvent, type MouseEvent, useRef, useState } from 'react';
import { useText } from '../../i18n/use-text.ts';
import { Button } from '../button.tsx';
import { Icon } from '../icon.tsx';
import type { ListColumn, RowActions, SortOrder } from './list-types.ts';

/** Keys of the placeholder rows that are shown while loading. */
const SKELETON = Array.from({ length: 8 }, (_, i) => `row-${i}`);

export interface RowsProps<Item> {
  label: string;
  items: readonly Item[];
  columns: readonly ListColumn<Item>[];
  rowKey: (item: Item) => number | string;
  rowName: (item: Item) => string;
  onOpen?: ((item: Item) => void) | undefined;
  rowActions?: RowActions<Item> | undefined;
  /** The selected rows; absent if there are no bulk actions. */
  selection?:
    | {
        has: (item: Item) => boolean;
        toggle: (items: readonly Item[], on: boolean) => void;
      }
    | undefined;
}

/** Returns whether an event belongs to the row itself. A click on a control inside the row does not. */
function isForRow(event: MouseEvent | KeyboardEvent): boolean {
  const target = event.target as HTMLElement;
  const acting = target.closest('a, button, input, label, .ant-dropdown');
  return acting === null || acting === event.currentTarget;
}

/**
 * The table of all lists. Header and first column stay visible; arrow keys move between rows, Enter opens a
 * row, Space selects it (ui.md 9).
 */
export function ListTable<Item>({
  label,
  items,
  columns,
  rowKey,
  rowName,
  onOpen,
  rowActions,
  selection,
  loading,
  turning,
  sort,
  order,
  onSort,
  empty,
}: RowsProps<Item> & {
  /** True if no rows are loaded yet. */
  loading: boolean;
  /** True while the next page is loading and the previous one is still shown. */
  turning: boolean;
  sort: string;
  order: SortOrder;
  onSort: (sort: string, order: SortOrder) => void;
  empty: React.ReactNode;
}) {
  const { text } = useText();
  const [active, setActive] = useState(0);
  const current = Math.min(active, Math.max(0, items.length - 1));
  const chosen = selection ? items.filter(selection.has).length : 0;

  function press(event: KeyboardEvent<HTMLTableRowElement>, item: Item, index: number) {
    if (event.target !== event.currentTarget) return;
    const rows = event.currentTarget.parentElement?.children;
    const target = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: items.length - 1 }[event.key];
    if (target !== undefined) {
      event.preventDefault();
      (rows?.[Math.max(0, Math.min(items.length - 1, target))] as HTMLElement | undefined)?.focus();
    } else if (event.key === 'Enter' && onOpen) {
      event.preventDefault();
      onOpen(item);
    } else if (event.key === ' ' && selection) {
      event.preventDefault();
      selection.toggle([item], !selection.has(item));
    }
  }

  return (
    <section className="list-scroll" aria-label={label} aria-busy={loading || turning}>
      <table className="list-table">
        <thead>
          <tr>
            {selection ? (
              <th className="list-check">
                <input
                  type="checkbox"
                  aria-label={text('common.list.select-page')}
                  checked={chosen > 0 && chosen === items.length}
                  ref={(box) => {
                    if (box) box.indeterminate = chosen > 0 && chosen < items.length;
                  }}
                  disabled={items.length === 0}
                  onChange={(event) => selection.toggle(items, event.target.checked)}
                />
              </th>
            ) : null}
            {columns.map((column) => (
              <HeadCell key={column.key} column={column} sort={sort} order={order} onSort={onSort} />
            ))}
            {rowActions ? (
              <th className="list-actions">
                <span className="visually-hidden">{text('common.list.actions')}</span>
              </th>
            ) : null}
          </tr>
        </thead>
        <tbody className={turning ? 'list-turning' : undefined}>
          {loading
            ? SKELETON.map((key) => (
                <tr key={key} className="list-ghost">
                  {selection ? <td className="list-check" /> : null}
                  {columns.map((column) => (
                    <td key={column.key} className={cellClass(column)}>
                      <div className="skeleton list-skeleton" />
                    </td>
                  ))}
                  {rowActions ? <td /> : null}
                </tr>
              ))
            : items.map((item, index) => (
                <tr
                  key={rowKey(item)}
                  tabIndex={index === current ? 0 : -1}
                  aria-selected={selection?.has(item)}
                  className={`${onOpen ? 'list-row' : ''}${selection?.has(item) ? ' list-chosen' : ''}`}
                  onFocus={() => setActive(index)}
                  onClick={(event) => {
                    if (onOpen && isForRow(event) && String(getSelection() ?? '') === '') onOpen(item);
                  }}
                  onKeyDown={(event) => press(event, item, index)}
                >
                  {selection ? (
                    <td className="list-check">
                      <input
                        type="checkbox"
                        tabIndex={-1}
                        aria-label={text('common.list.select-row', { name: rowName(item) })}
                        checked={selection.has(item)}
                        onChange={(event) => selection.toggle([item], event.target.checked)}
                      />
                    </td>
                  ) : null}
                  {columns.map((column) => (
                    <td
                      key={column.key}
                      className={cellClass(column)}
                      style={column.maxWidth ? { maxWidth: column.maxWidth } : undefined}
                    >
                      {column.render(item)}
                    </td>
                  ))}
                  {rowActions ? (
                    <td className="list-actions">
                      <RowMenu item={item} name={rowName(item)} actions={rowActions} />
                    </td>
                  ) : null}
                </tr>
              ))}
        </tbody>
      </table>
      {!loading && items.length === 0 ? empty : null}
    </section>
  );
}

function cellClass<Item>(column: ListColumn<Item>): string {
  const classes = [
    column.align === 'end' ? 'list-end' : '',
    column.pinned ? 'list-pinned' : '',
    column.maxWidth ? 'ellipsis' : '',
  ];
  return classes.filter(Boolean).join(' ');
}

function HeadCell<Item>({
  column,
  sort,
  order,
  onSort,
}: {
  column: ListColumn<Item>;
  sort: string;
  order: SortOrder;
  onSort: (sort: string, order: SortOrder) => void;
}) {
  if (!column.sortable)
    return (
      <th scope="col" className={cellClass(column)}>
        {column.title}
      </th>
    );
  const sorted = sort === column.key;
  const next = sorted ? (order === 'asc' ? 'desc' : 'asc') : (column.firstOrder ?? 'asc');
  return (
    <th
      scope="col"
      className={cellClass(column)}
      aria-sort={sorted ? (order === 'asc' ? 'ascending' : 'descending') : 'none'}
    >
      <button
        type="button"
        className={sorted ? 'list-sort list-sorted' : 'list-sort'}
        onClick={() => onSort(column.key, next)}
      >
        {column.title}
        <Icon name={sorted ? (order === 'asc' ? 'arrow-up' : 'arrow-down') : 'arrow-down'} small />
      </button>
    </th>
  );
}

export function RowMenu<Item>({
  item,
  name,
  actions,
}: {
  item: Item;
  name: string;
  actions: RowActions<Item>;
}) {
  const { text } = useText();
  const button = useRef<HTMLButtonElement>(null);
  const items = actions(item);
  if (items.length === 0) return null;
  // The focus moves to the button before the menu closes, so that a dialog can return it to the button.
  const leaveMenu = () => button.current?.focus();
  return (
    <Dropdown trigger={['click']} placement="bottomRight" menu={{ items, onClick: leaveMenu }}>
      <Button
        ref={button}
        variant="quiet"
        size="small"
        icon
        aria-label={text('common.list.row-actions', { name })}
      >
        <Icon name="more" />
      </Button>
    </Dropdown>
  );
}
