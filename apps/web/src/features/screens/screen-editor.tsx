import './screens.css';
import {
  MAX_SCREEN_PAGES,
  newTile,
  type ScreenPage,
  type ScreenTile,
  type ScreenView,
} from '@isotherm/contracts/screens';
import {
  COLUMNS,
  freePlace,
  placeTile,
  ROWS,
  TILE_KINDS,
  type TileKind,
} from '@isotherm/domain/screens/layout';
import { type KeyboardEvent, type PointerEvent, useRef, useState } from 'react';
import { useText } from '../../shared/i18n/use-text.ts';
import { Button } from '../../shared/ui/button.tsx';
import { FieldFrame } from '../../shared/ui/form/field-frame.tsx';
import { Icon } from '../../shared/ui/icon.tsx';
import { toast } from '../../shared/ui/toast.tsx';
import { CameraField } from './camera-field.tsx';
import { TileContent } from './tiles.tsx';

const EMPTY: ScreenPage = { tiles: [] };

/**
 * The pages of a screen as they will look, with tiles that are moved and resized by dragging, or with the arrow keys: with
 * Shift they resize, and Delete removes.
 */
export function ScreenEditor({
  pages,
  organizationId,
  view,
  mayEdit,
  onChange,
}: {
  pages: readonly ScreenPage[];
  /** Organisation of the screen, whose cameras may be shown. */
  organizationId: number;
  /** What the tiles show; null while it is unknown. */
  view: ScreenView | null;
  mayEdit: boolean;
  onChange: (pages: ScreenPage[]) => void;
}) {
  const { text } = useText();
  const [open, setOpen] = useState(0);
  const [selected, setSelected] = useState<number | null>(null);
  const place = Math.min(open, pages.length - 1);
  const page = pages[place] ?? EMPTY;
  const { tiles } = page;
  const change = (next: readonly ScreenTile[]) =>
    onChange(pages.map((each, index) => (index === place ? { tiles: [...next] } : each)));
  function add(kind: TileKind) {
    const free = freePlace(tiles, kind);
    if (!free) return toast('failure', text('screens.full'));
    const tile = newTile(free);
    change([...tiles, kind === 'notice' ? { ...tile, text: text('screens.notice.example') } : tile]);
    setSelected(tiles.length);
  }
  /** Changes what the selected tile shows. */
  const edit = (content: Partial<Pick<ScreenTile, 'text' | 'webcamId'>>) =>
    change(tiles.map((tile, index) => (index === selected ? { ...tile, ...content } : tile)));
  function show(index: number) {
    setOpen(index);
    setSelected(null);
  }
  const chosen = selected === null ? undefined : tiles[selected];
  return (
    <section className="screen-editor" aria-label={text('screens.layout')}>
      <div className="screen-bar">
        <fieldset className="segments" aria-label={text('screens.pages')}>
          {pages.map((_, index) => (
            <button
              // biome-ignore lint/suspicious/noArrayIndexKey: pages have no names, and their order is what they are.
              key={index}
              type="button"
              aria-pressed={index === place}
              onClick={() => show(index)}
            >
              {text('screens.page', { page: index + 1 })}
            </button>
          ))}
        </fieldset>
        {mayEdit ? (
          <>
            <Button
              size="small"
              disabled={pages.length >= MAX_SCREEN_PAGES}
              onClick={() => {
                const wall = freePlace([], 'wall');
                onChange([...pages, { tiles: wall ? [newTile(wall)] : [] }]);
                show(pages.length);
              }}
            >
              <Icon name="plus" small />
              {text('screens.page.add')}
            </Button>
            <Button
              size="small"
              disabled={pages.length < 2}
              onClick={() => {
                onChange(pages.filter((_, index) => index !== place));
                show(Math.max(0, place - 1));
              }}
            >
              {text('screens.page.remove')}
            </Button>
          </>
        ) : null}
      </div>
      <div className="screen-canvas" data-editable={mayEdit || undefined}>
        <div className="screen-grid">
          {tiles.map((tile, index) => (
            <EditableTile
              // biome-ignore lint/suspicious/noArrayIndexKey: a tile keeps its place in the list while it is moved.
              key={`${place} ${index} ${tile.kind}`}
              tile={tile}
              page={page}
              view={view}
              mayEdit={mayEdit}
              isSelected={index === selected}
              onSelect={() => setSelected(index)}
              onPlace={(wanted) => change(placeTile(tiles, index, wanted))}
              onRemove={() => {
                change(tiles.filter((_, other) => other !== index));
                setSelected(null);
              }}
            />
          ))}
        </div>
      </div>
      {tiles.length === 0 ? <p className="form-fault">{text('screens.page.empty')}</p> : null}
      {mayEdit ? (
        <div className="screen-bar">
          <span className="secondary">{text('screens.tile.add')}</span>
          {TILE_KINDS.map((kind) => (
            <Button key={kind} size="small" onClick={() => add(kind)}>
              <Icon name="plus" small />
              {text(`screens.tile.${kind}`)}
            </Button>
          ))}
        </div>
      ) : null}
      {mayEdit && chosen?.kind === 'notice' ? (
        <FieldFrame required={false} label={text('screens.notice.text')} fault={undefined}>
          {(control) => (
            <textarea
              {...control}
              className="text-area"
              rows={3}
              maxLength={500}
              value={chosen.text}
              onChange={({ target }) => edit({ text: target.value })}
            />
          )}
        </FieldFrame>
      ) : null}
      {mayEdit && chosen?.kind === 'camera' ? (
        <CameraField
          organizationId={organizationId}
          webcamId={chosen.webcamId}
          onChange={(webcamId) => edit({ webcamId })}
        />
      ) : null}
      {mayEdit ? <p className="small secondary">{text('screens.keys')}</p> : null}
    </section>
  );
}

/** A tile on the canvas; while it is dragged, it follows the pointer from cell to cell. */
function EditableTile({
  tile,
  page,
  view,
  mayEdit,
  isSelected,
  onSelect,
  onPlace,
  onRemove,
}: {
  tile: ScreenTile;
  page: ScreenPage;
  view: ScreenView | null;
  mayEdit: boolean;
  isSelected: boolean;
  onSelect: () => void;
  onPlace: (wanted: Partial<ScreenTile>) => void;
  onRemove: () => void;
}) {
  const { text } = useText();
  const name = text(`screens.tile.${tile.kind}`);
  const dragged = useRef<{ x: number; y: number; from: ScreenTile; resizes: boolean } | null>(null);
  const cellOf = (element: Element) => {
    const grid = element.closest('.screen-grid')?.getBoundingClientRect();
    return { width: (grid?.width ?? 1) / COLUMNS, height: (grid?.height ?? 1) / ROWS };
  };
  const start = (resizes: boolean) => (event: PointerEvent<HTMLElement>) => {
    if (!mayEdit || event.button !== 0) return;
    event.stopPropagation();
    event.currentTarget.setPointerCapture(event.pointerId);
    dragged.current = { x: event.clientX, y: event.clientY, from: tile, resizes };
    onSelect();
  };
  function move(event: PointerEvent<HTMLElement>) {
    const drag = dragged.current;
    if (!drag) return;
    const cell = cellOf(event.currentTarget);
    const [right, down] = [
      Math.round((event.clientX - drag.x) / cell.width),
      Math.round((event.clientY - drag.y) / cell.height),
    ];
    const { from } = drag;
    onPlace(
      drag.resizes
        ? { width: from.width + right, height: from.height + down }
        : { x: from.x + right, y: from.y + down },
    );
  }
  const end = () => {
    dragged.current = null;
  };
  function press(event: KeyboardEvent) {
    const step = STEPS[event.key];
    if (!mayEdit || (!step && event.key !== 'Delete')) return;
    event.preventDefault();
    if (!step) return onRemove();
    const [right, down] = step;
    onPlace(
      event.shiftKey
        ? { width: tile.width + right, height: tile.height + down }
        : { x: tile.x + right, y: tile.y + down },
    );
  }
  return (
    <div
      className="screen-tile"
      data-selected={isSelected || undefined}
      style={{
        gridColumn: `${tile.x + 1} / span ${tile.width}`,
        gridRow: `${tile.y + 1} / span ${tile.height}`,
      }}
    >
      <div className="screen-tile-content" inert>
        {view ? (
          <TileContent tile={tile} page={page} view={view} />
        ) : (
          <span className="secondary">{name}</span>
        )}
      </div>
      {mayEdit ? (
        <>
          <button
            type="button"
            className="screen-grip"
            aria-label={text('screens.tile.move', { name })}
            aria-pressed={isSelected}
            onFocus={onSelect}
            onPointerDown={start(false)}
            onPointerMove={move}
            onPointerUp={end}
            onPointerCancel={end}
            onKeyDown={press}
          />
          <span
            className="screen-corner"
            aria-hidden="true"
            onPointerDown={start(true)}
            onPointerMove={move}
            onPointerUp={end}
            onPointerCancel={end}
          />
          {isSelected ? (
            <Button
              size="small"
              icon
              className="screen-remove"
              aria-label={text('screens.tile.remove', { name })}
              onClick={onRemove}
            >
              <Icon name="close" small />
            </Button>
          ) : null}
        </>
      ) : null}
    </div>
  );
}

const STEPS: Readonly<Record<string, readonly [right: number, down: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};
