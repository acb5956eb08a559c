import Popover from 'antd/es/popover';
import { useState } from 'react';
import { useText } from '../../i18n/use-text.ts';
import { Button } from '../button.tsx';
import { Icon } from '../icon.tsx';
import type { ColumnChoice } from './column-choice.ts';

/**
 * Dialog to choose columns by check boxes, and to order them by drag and drop or by arrow keys on the
 * handle.
 */
export function ColumnChooser<Item>({ choice }: { choice: ColumnChoice<Item> }) {
  const { text } = useText();
  const [open, setOpen] = useState(false);
  return (
    <Popover
      open={open}
      onOpenChange={setOpen}
      trigger="click"
      placement="bottomRight"
      arrow={false}
      content={<Columns choice={choice} />}
    >
      <Button
        icon
        aria-label={text('common.list.columns')}
        title={text('common.list.columns')}
        aria-expanded={open}
      >
        <Icon name="columns" />
      </Button>
    </Popover>
  );
}

function Columns<Item>({ choice }: { choice: ColumnChoice<Item> }) {
  const { text } = useText();
  const [dragged, setDragged] = useState<string | null>(null);
  return (
    <div className="list-columns">
      <div className="list-columns-head">
        <span className="strong">{text('common.list.columns')}</span>
        <Button variant="link" disabled={!choice.changed} onClick={choice.reset}>
          {text('common.action.reset')}
        </Button>
      </div>
      <ul>
        {choice.all.map((column) => (
          <li
            key={column.key}
            className={dragged === column.key ? 'list-column-dragged' : undefined}
            draggable={!column.pinned}
            onDragStart={() => setDragged(column.key)}
            onDragEnd={() => setDragged(null)}
            onDragOver={(event) => {
              if (dragged && !column.pinned) event.preventDefault();
            }}
            onDrop={() => dragged && choice.place(dragged, column.key)}
          >
            <label className={column.pinned ? 'tertiary' : undefined}>
              <input
                type="checkbox"
                checked={choice.isShown(column.key)}
                disabled={column.pinned}
                onChange={() => choice.toggle(column.key)}
              />
              <span>
                {column.pinned ? text('common.list.column-pinned', { name: column.title }) : column.title}
              </span>
            </label>
            {column.pinned ? (
              <span className="list-column-pin">
                <Icon name="pin" />
              </span>
            ) : (
              <button
                type="button"
                className="list-column-grip"
                aria-label={text('common.list.column-move', { name: column.title })}
                onKeyDown={(event) => {
                  const by = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : 0;
                  if (by === 0) return;
                  event.preventDefault();
                  choice.move(column.key, by);
                }}
              >
                <Icon name="grip" />
              </button>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}
