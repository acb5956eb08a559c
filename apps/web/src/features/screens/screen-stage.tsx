import './screens.css';
import type { ScreenPage, ScreenView } from '@isotherm/contracts/screens';
import { isDim } from '@isotherm/domain/screens/layout';
import { type ReactNode, type Ref, useEffect, useState } from 'react';
import { useTicking } from '../../shared/format/now.ts';
import { zoneOffsetMinutes } from '../../shared/format/time.ts';
import { useViewer } from '../../shared/format/viewer.tsx';
import { DataAge, TileContent } from './tiles.tsx';

/**
 * A screen for a large display: its pages in turn, each a grid of tiles whose texts grow with the display. Its only movement
 * is the change of the page.
 */
export function ScreenStage({
  view,
  lostSince,
  actions,
  ref,
}: {
  view: ScreenView;
  /** Since when the server cannot be reached; null: it can. */
  lostSince: number | null;
  actions?: ReactNode;
  ref?: Ref<HTMLElement>;
}) {
  const { text, time, zone } = useViewer();
  const [turn, setTurn] = useState(0);
  const { pages, pageSeconds } = view;
  const count = pages.length;
  useEffect(() => {
    if (count < 2) return;
    const timer = setInterval(() => setTurn((current) => current + 1), pageSeconds * 1_000);
    return () => clearInterval(timer);
  }, [count, pageSeconds]);
  const clock = useTicking((now) => new Date(now - (now % 60_000)).toISOString());
  const isDimmed = isDim(view.dim, minuteOfDay(zone, Date.parse(clock)));
  const place = turn % count;
  return (
    <section className="screen-stage" aria-label={view.name} data-dimmed={isDimmed || undefined} ref={ref}>
      <div className="screen-sheet">
        <header className="screen-head">
          <h1 className="ellipsis">
            {view.name} <span className="secondary">{view.organizationName}</span>
          </h1>
          {count > 1 ? (
            <span className="secondary number">{text('screens.page-of', { page: place + 1, count })}</span>
          ) : null}
          <span className="screen-status secondary">
            <DataAge readAt={Date.parse(view.serverTime)} lostSince={lostSince} />
          </span>
          <span className="secondary">{time(clock, 'date')}</span>
          <span className="screen-clock number">{time(clock, 'time')}</span>
          {actions}
        </header>
        <ScreenGrid page={pages[place] as ScreenPage} view={view} />
      </div>
    </section>
  );
}

function minuteOfDay(zone: string, at: number): number {
  const local = Math.floor(at / 60_000) + zoneOffsetMinutes(zone, at);
  return ((local % 1_440) + 1_440) % 1_440;
}

/** The tiles of a page. */
function ScreenGrid({ page, view }: { page: ScreenPage; view: ScreenView }) {
  return (
    <div className="screen-grid">
      {page.tiles.map((tile) => (
        <section
          key={`${tile.kind} ${tile.x} ${tile.y}`}
          className="screen-tile"
          style={{
            gridColumn: `${tile.x + 1} / span ${tile.width}`,
            gridRow: `${tile.y + 1} / span ${tile.height}`,
          }}
        >
          <TileContent tile={tile} page={page} view={view} />
        </section>
      ))}
    </div>
  );
}
