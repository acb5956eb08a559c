import type { Placeable } from '@isotherm/contracts/floor-plans';
import { useQuery } from '@tanstack/react-query';
import { type PointerEvent, useState } from 'react';
import { createPortal } from 'react-dom';
import { useText } from '../../../shared/i18n/use-text.ts';
import { Button } from '../../../shared/ui/button.tsx';
import { FilterBox } from '../../../shared/ui/filter-box.tsx';
import { Icon } from '../../../shared/ui/icon.tsx';
import { FailureNotice } from '../../../shared/ui/notice.tsx';
import type { Draft } from './plan-draft.ts';
import { placeableQuery } from './plans.queries.ts';

type Channel = Placeable['channels'][number];

interface Dragged {
  name: string;
  x: number;
  y: number;
}

/**
 * List of the assets and channels that can be placed. The user drags them onto the plan, or places them in
 * the middle with a button.
 */
export function PlaceList({
  planId,
  draft,
  onPlace,
  onDrop,
}: {
  planId: number;
  draft: Draft;
  onPlace: (asset: Placeable, channel: Channel | null) => void;
  onDrop: (asset: Placeable, channel: Channel | null, clientX: number, clientY: number) => void;
}) {
  const { text } = useText();
  const [search, setSearch] = useState('');
  const [open, setOpen] = useState<number | null>(null);
  const [dragged, setDragged] = useState<Dragged | null>(null);
  const { data, error, refetch } = useQuery({
    ...placeableQuery(planId, search.trim()),
    placeholderData: (before) => before,
  });

  const item = (asset: Placeable, channel: Channel | null) => {
    const name = channel?.name ?? asset.name;
    const drag = (event: PointerEvent) => setDragged({ name, x: event.clientX, y: event.clientY });
    return (
      <div
        className={channel ? 'place-item place-channel' : 'place-item'}
        onPointerDown={(event) => {
          if (event.button !== 0 || (event.target as Element).closest('button')) return;
          event.preventDefault();
          event.currentTarget.setPointerCapture(event.pointerId);
          drag(event);
        }}
        onPointerMove={(event) => dragged && drag(event)}
        onPointerUp={(event) => {
          if (!dragged) return;
          setDragged(null);
          onDrop(asset, channel, event.clientX, event.clientY);
        }}
        onPointerCancel={() => setDragged(null)}
      >
        <Icon name="grip" small />
        <span className="ellipsis" title={name}>
          {name}
        </span>
        {channel === null ? <span className="small tertiary ellipsis">{asset.code}</span> : null}
        <Button
          size="small"
          className="end"
          aria-label={text('assets.plan.place-one', { name })}
          onClick={() => onPlace(asset, channel)}
        >
          {text('assets.plan.place')}
        </Button>
      </div>
    );
  };

  const offered = (data ?? [])
    .map((asset) => ({
      asset,
      channels: asset.channels.filter(({ id }) => !draft.has(`${asset.id}/${id}`)),
      isPlaced: draft.has(String(asset.id)),
    }))
    .filter(({ channels, isPlaced }) => !isPlaced || channels.length > 0)
    // Assets and channels without a point come first.
    .sort((a, b) => Number(a.isPlaced) - Number(b.isPlaced));
  return (
    <section className="panel place-list" aria-label={text('assets.plan.placeable')}>
      <h2 className="strong">{text('assets.plan.placeable')}</h2>
      <FilterBox value={search} placeholder={text('assets.search')} onChange={setSearch} />
      {error && !data ? <FailureNotice error={error} retry={() => void refetch()} /> : null}
      {data && offered.length === 0 ? (
        <p className="secondary">{text(search ? 'assets.plan.none-found' : 'assets.plan.all-placed')}</p>
      ) : null}
      <ul>
        {offered.map(({ asset, channels, isPlaced }) => (
          <li key={asset.id}>
            {isPlaced ? <p className="place-item secondary ellipsis">{asset.name}</p> : item(asset, null)}
            {channels.length > 0 ? (
              <Button
                variant="link"
                className="small place-more"
                aria-expanded={open === asset.id}
                onClick={() => setOpen(open === asset.id ? null : asset.id)}
              >
                <Icon name={open === asset.id ? 'down' : 'right'} small />
                {text('assets.plan.channels', { count: channels.length })}
              </Button>
            ) : null}
            {open === asset.id ? channels.map((each) => <div key={each.id}>{item(asset, each)}</div>) : null}
          </li>
        ))}
      </ul>
      {dragged
        ? createPortal(
            <div className="place-ghost" style={{ left: dragged.x, top: dragged.y }}>
              {dragged.name}
            </div>,
            document.body,
          )
        : null}
    </section>
  );
}
