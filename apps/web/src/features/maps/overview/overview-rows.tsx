import type { Excursion, Lane } from '@isotherm/contracts/map-overview';
import { faultWords } from '@isotherm/i18n/alarm-words';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { usePermission } from '../../../shared/access/permissions.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { Button } from '../../../shared/ui/button.tsx';
import { useGrowingList } from '../../../shared/ui/growing-list.tsx';
import { Icon } from '../../../shared/ui/icon.tsx';
import { LevelGlyph } from '../../../shared/ui/level-glyph.tsx';
import { type AssetExcursions, laneFigures, laneKey } from './overview-data.ts';

/** Number of rows that are drawn at first, and added on demand. */
const ROWS = 300;

/** Excursions; each leads to its alarm, and shows its place on the map. */
export function ExcursionRows({
  excursions,
  chosenKey,
  onChoose,
}: {
  excursions: readonly Excursion[];
  chosenKey: string | null;
  onChoose: (id: number) => void;
}) {
  const { text, time } = useViewer();
  const seesAlarm = usePermission('alarm-current:view');
  if (excursions.length === 0)
    return <p className="maps-none secondary">{text('maps.overview.excursions.none')}</p>;
  return (
    <Rows
      items={excursions}
      row={(each) => {
        const when = time(each.since, 'day-time');
        const words = faultWords(each.indicator, each.kind, text);
        return (
          <li key={each.id} className="overview-row" aria-current={String(each.id) === chosenKey}>
            <LevelGlyph level={each.level} />
            <span className="maps-row-name">
              <span className="strong ellipsis">
                {seesAlarm ? <Link to={`/alarm/${each.id}`}>{each.assetName}</Link> : each.assetName}
              </span>
              <span className="small secondary">{`${words} · ${when}`}</span>
            </span>
            {each.place ? (
              <button
                type="button"
                className="map-button"
                aria-label={`${text('maps.overview.show-place')}: ${each.assetName}, ${when}`}
                onClick={() => onChoose(each.id)}
              >
                <Icon name="map" small />
              </button>
            ) : null}
          </li>
        );
      }}
    />
  );
}

/** Assets with excursions, that with the most first; each leads to its excursions. */
export function AssetRows({
  assets,
  onChoose,
}: {
  assets: readonly AssetExcursions[];
  onChoose: (id: number) => void;
}) {
  const { text } = useViewer();
  if (assets.length === 0)
    return <p className="maps-none secondary">{text('maps.overview.excursions.none')}</p>;
  return (
    <Rows
      items={assets}
      row={({ id, name, count, level }) => (
        <li key={id}>
          <button type="button" className="maps-row" onClick={() => onChoose(id)}>
            <LevelGlyph level={level} />
            <span className="strong ellipsis">{name}</span>
            <span className="small secondary">{text('maps.overview.trip.excursions', { count })}</span>
          </button>
        </li>
      )}
    />
  );
}

/** Lanes; an opened one shows its trips, and each of these leads to its excursions. */
export function LaneRows({
  lanes,
  chosenKey,
  onChoose,
  onTrip,
}: {
  lanes: readonly Lane[];
  chosenKey: string | null;
  onChoose: (key: string | null) => void;
  onTrip: (id: number) => void;
}) {
  const { text } = useViewer();
  if (lanes.length === 0) return <p className="maps-none secondary">{text('maps.overview.lanes.none')}</p>;
  return (
    <Rows
      items={lanes}
      row={(lane) => {
        const key = laneKey(lane);
        const { ended, good, open } = laneFigures(lane);
        const isChosen = key === chosenKey;
        const facts = [
          ...(ended > 0 ? [text('maps.overview.lane.share', { good, ended })] : []),
          ...(open > 0 ? [text('maps.overview.lane.open', { count: open })] : []),
        ];
        return (
          <li key={key}>
            <button
              type="button"
              className="overview-lane"
              aria-expanded={isChosen}
              onClick={() => onChoose(isChosen ? null : key)}
            >
              <span className="strong">{text('maps.overview.lane', { from: lane.from, to: lane.to })}</span>
              <span className="small secondary">{facts.join(' · ')}</span>
            </button>
            {isChosen ? <Trips lane={lane} onTrip={onTrip} /> : null}
          </li>
        );
      }}
    />
  );
}

function Trips({ lane, onTrip }: { lane: Lane; onTrip: (id: number) => void }) {
  const { text, time } = useViewer();
  const seesWaybill = usePermission('waybill-list:view');
  return (
    <Rows
      className="overview-trips"
      label={text('maps.overview.trips')}
      items={lane.trips}
      row={({ id, number, departedAt, endedAt, excursions }) => {
        const count = text('maps.overview.trip.excursions', { count: excursions });
        const facts = [
          time(departedAt, 'day-time'),
          ...(endedAt === null ? [text('maps.overview.in-transport')] : []),
          ...(excursions === 0 ? [count] : []),
        ];
        return (
          <li key={id}>
            {seesWaybill ? <Link to={`/waybill/list/${id}`}>{number}</Link> : <span>{number}</span>}
            <span className="overview-trip-facts small secondary">
              {facts.join(' · ')}
              {excursions > 0 ? (
                <Button size="small" onClick={() => onTrip(id)}>
                  {count}
                </Button>
              ) : null}
            </span>
          </li>
        );
      }}
    />
  );
}

/** Rows of a list: the first ones of many, and more on demand. */
function Rows<Item>({
  items,
  row,
  className = 'maps-rows',
  label,
}: {
  items: readonly Item[];
  row: (item: Item) => ReactNode;
  className?: string;
  label?: string;
}) {
  const { shown, more } = useGrowingList(items, ROWS);
  return (
    <ul className={className} aria-label={label}>
      {shown.map(row)}
      {more ? <li>{more}</li> : null}
    </ul>
  );
}
