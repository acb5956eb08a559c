import { EN_RULE } from '../../format/number.ts';
import { useText } from '../../i18n/use-text.ts';
import { RowMenu, type RowsProps } from './list-table.tsx';

const SKELETON = ['one', 'two', 'three', 'four'];

/**
 * The list on a phone: one card per row. The pinned column is the title of the card, followed by the columns
 * that have a value.
 */
export function ListCards<Item>({
  label,
  items,
  columns,
  rowKey,
  rowName,
  onOpen,
  rowActions,
  selection,
  loading,
  empty,
}: RowsProps<Item> & { loading: boolean; empty: React.ReactNode }) {
  const { text } = useText();
  if (loading)
    return (
      <div className="list-cards" aria-busy="true">
        {SKELETON.map((key) => (
          <div key={key} className="list-card">
            <div className="skeleton list-skeleton" />
            <div className="skeleton list-skeleton" />
          </div>
        ))}
      </div>
    );
  if (items.length === 0) return empty;
  const titles = columns.filter((column) => column.pinned);
  const lines = columns.filter((column) => !column.pinned && !column.wideOnly);
  return (
    <ul className="list-cards" aria-label={label}>
      {items.map((item) => (
        <li key={rowKey(item)} className={selection?.has(item) ? 'list-card list-chosen' : 'list-card'}>
          <div className="list-card-head">
            {selection ? (
              <label className="list-card-check">
                <input
                  type="checkbox"
                  aria-label={text('common.list.select-row', { name: rowName(item) })}
                  checked={selection.has(item)}
                  onChange={(event) => selection.toggle([item], event.target.checked)}
                />
              </label>
            ) : null}
            {onOpen ? (
              <button type="button" className="list-card-title" onClick={() => onOpen(item)}>
                {titles.map((column) => (
                  <span key={column.key}>{column.render(item)}</span>
                ))}
              </button>
            ) : (
              <div className="list-card-title">
                {titles.map((column) => (
                  <span key={column.key}>{column.render(item)}</span>
                ))}
              </div>
            )}
            {rowActions ? <RowMenu item={item} name={rowName(item)} actions={rowActions} /> : null}
          </div>
          <dl>
            {lines.map((column) => {
              const content = column.render(item);
              if (content === '' || content === null || content === EN_RULE) return null;
              return (
                <div key={column.key}>
                  <dt>{column.title}</dt>
                  <dd>{content}</dd>
                </div>
              );
            })}
          </dl>
        </li>
      ))}
    </ul>
  );
}
