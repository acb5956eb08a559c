import { TILES, type TileName } from '@isotherm/domain/dashboard/tiles';
import type { TextId } from '@isotherm/i18n/text-id';
import { type DragEvent, type ReactNode, useContext } from 'react';
import { Link } from 'react-router';
import { labelled } from '../../shared/i18n/phrases.ts';
import { useText } from '../../shared/i18n/use-text.ts';
import { Button } from '../../shared/ui/button.tsx';
import { Icon } from '../../shared/ui/icon.tsx';
import { ArrangeContext } from './arranging.ts';

const MIME = 'application/x-isotherm-tile';

/** One tile of the dashboard: a title, a note, a link to the list behind it, and its content. */
export function Tile({
  name,
  note,
  link,
  children,
}: {
  name: TileName;
  note?: ReactNode;
  link?: { to: string; words: string };
  children: ReactNode;
}) {
  const { text } = useText();
  const arranging = useContext(ArrangeContext);
  const title = text(`dashboard.tile.${name}`);
  const place = arranging?.shown.indexOf(name) ?? 0;
  const drop = (event: DragEvent) => {
    const moved = arranging?.shown.find((each) => each === event.dataTransfer.getData(MIME));
    if (!moved) return;
    event.preventDefault();
    arranging?.move(moved, place);
  };
  return (
    <section
      className={`panel dashboard-tile dashboard-${TILES[name].columns}`}
      aria-label={title}
      {...(arranging
        ? {
            draggable: true,
            onDragStart: (event: DragEvent) => event.dataTransfer.setData(MIME, name),
            onDragOver: (event: DragEvent) => event.preventDefault(),
            onDrop: drop,
          }
        : {})}
    >
      <header className="dashboard-tile-head">
        <h2>{title}</h2>
        {note ? <span className="small tertiary dashboard-note">{note}</span> : null}
        {arranging ? (
          <ArrangeButtons name={name} title={title} place={place} />
        ) : (
          link && (
            <Link className="small end dashboard-link" to={link.to} aria-label={`${link.words}: ${title}`}>
              {link.words}
            </Link>
          )
        )}
      </header>
      <div className="dashboard-tile-body">{children}</div>
    </section>
  );
}

function ArrangeButtons({ name, title, place }: { name: TileName; title: string; place: number }) {
  const { text } = useText();
  const arranging = useContext(ArrangeContext);
  if (!arranging) return null;
  const button = (id: TextId, icon: 'left' | 'right' | 'close', act: () => void, isOff = false) => (
    <Button
      variant="quiet"
      size="small"
      icon
      aria-label={labelled(text, text(id), title)}
      title={text(id)}
      disabled={isOff}
      onClick={act}
    >
      <Icon name={icon} />
    </Button>
  );
  return (
    <span className="row end">
      {button('dashboard.move-earlier', 'left', () => arranging.move(name, place - 1), place === 0)}
      {button(
        'dashboard.move-later',
        'right',
        () => arranging.move(name, place + 1),
        place === arranging.shown.length - 1,
      )}
      {button('dashboard.hide', 'close', () => arranging.hide(name))}
    </span>
  );
}
