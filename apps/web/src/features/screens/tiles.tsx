import type { AssetCard } from '@isotherm/contracts/assets';
import type { ScreenPage, ScreenTile, ScreenView } from '@isotherm/contracts/screens';
import { needsAttention } from '@isotherm/domain/assets/attention';
import { switchLabel } from '@isotherm/i18n/alarm-words';
import { formatDuration } from '@isotherm/i18n/figures';
import type { ReactNode } from 'react';
import { StateGlyph } from '../../shared/assets/asset-glyph.tsx';
import { deviationOf, isQuantity, levelOf, ownerText, stateTitle } from '../../shared/assets/asset-words.ts';
import { useTicking } from '../../shared/format/now.ts';
import { EN_RULE, indicatorValue, integer, unitOf } from '../../shared/format/number.ts';
import { Lasting, useViewer } from '../../shared/format/viewer.tsx';
import { Icon } from '../../shared/ui/icon.tsx';
import { LevelGlyph, UnknownGlyph } from '../../shared/ui/level-glyph.tsx';
import { LimitSpark } from '../../shared/ui/limit-spark.tsx';
import { CameraTile } from './camera-tile.tsx';
import { ScreenMap } from './screen-map.tsx';

/** Rows of the list of what needs attention; more would be too small to read. */
const MOST_ROWS = 8;
/** Numbers of assets up to which the cells of the wall are large, and medium. */
const MOST_LARGE = 32;
const MOST_MEDIUM = 90;

/** What a tile of a page shows. */
export function TileContent({ tile, page, view }: { tile: ScreenTile; page: ScreenPage; view: ScreenView }) {
  switch (tile.kind) {
    case 'gravest':
      return <Gravest view={view} />;
    case 'attention':
      return <Attention view={view} hasWorst={page.tiles.some(({ kind }) => kind === 'gravest')} />;
    case 'figures':
      return <Figures view={view} />;
    case 'wall':
      return <Wall view={view} />;
    case 'map':
      return <ScreenMap places={view.places} />;
    case 'camera':
      return <CameraTile key={tile.webcamId} webcamId={tile.webcamId} view={view} />;
    case 'announcements':
      return <Announcements announcements={view.announcements} />;
    case 'notice':
      return <p className="screen-notice">{tile.text}</p>;
    case 'clock':
      return <Clock />;
  }
}

/** The worst asset, as large as possible; all within limits is said as plainly. */
function Gravest({ view }: { view: ScreenView }) {
  const { text, language } = useViewer();
  const [card] = view.cards;
  if (!card || !needsAttention(card.state))
    return (
      <div className="screen-calm">
        <Icon name="check" />
        <span>{text(view.total === 0 ? 'screens.no-assets' : 'screens.all-well')}</span>
        <span className="secondary">{text('screens.assets', { count: integer(language, view.total) })}</span>
      </div>
    );
  const { state } = card;
  const level = levelOf(state);
  const owner = ownerText(card, text);
  const deviation = deviationOf(card, text);
  return (
    <div className={level === null ? 'screen-gravest' : `screen-gravest level-${level}`}>
      <div className="screen-strip">
        <StateGlyph state={state} onStrip />
        <span className="ellipsis">{stateTitle(card, text)}</span>
        <Since card={card} />
      </div>
      <div className="screen-gravest-body">
        <div>
          <div className="screen-name">{card.name}</div>
          <div className="secondary">{card.place || card.organizationName}</div>
          {owner ? <div className="secondary">{owner}</div> : null}
        </div>
        <div className="screen-value">
          <Value card={card} />
          {deviation ? <div className="screen-deviation">{deviation}</div> : null}
        </div>
      </div>
      <Course card={card} view={view} height={120} />
    </div>
  );
}

function Since({ card: { state } }: { card: AssetCard }) {
  if (state.kind !== 'alarm' && state.kind !== 'pending' && !(state.kind === 'unknown' && state.since))
    return null;
  return (
    <span className="end number">
      <Lasting since={state.since as string} />
    </span>
  );
}

function Value({ card: { main, silent } }: { card: AssetCard }) {
  const { text } = useViewer();
  if (!main || main.value === null || silent) return <span className="value-unknown">{EN_RULE}</span>;
  if (!isQuantity(main)) return <span>{text(switchLabel(main.indicator, main.value))}</span>;
  return (
    <bdi dir="ltr" className="number">
      {indicatorValue(main.indicator, main.value)}
      <small>{unitOf(main.indicator)}</small>
    </bdi>
  );
}

function Course({ card, view, height }: { card: AssetCard; view: ScreenView; height: number }) {
  const line = view.sparklines.find(({ assetId }) => assetId === card.id);
  if (!line) return null;
  const banded = card.main && isQuantity(card.main) ? card.main : null;
  return (
    <div className="screen-course">
      <LimitSpark
        min={line.min}
        max={line.max}
        low={banded ? banded.low : null}
        high={banded ? banded.high : null}
        stepped={banded === null}
        width={480}
        height={height}
        level={levelOf(card.state)}
        muted={card.silent}
      />
    </div>
  );
}

/** What needs attention, one row each; without the worst, if that is in a tile of its own (`hasWorst`) beside it. */
function Attention({ view, hasWorst }: { view: ScreenView; hasWorst: boolean }) {
  const { text } = useViewer();
  const all = view.cards.filter(({ state }) => needsAttention(state));
  const rows = all.slice(hasWorst ? 1 : 0).slice(0, MOST_ROWS);
  if (rows.length === 0)
    return (
      <p className="screen-none secondary">
        {text(hasWorst && all.length > 0 ? 'screens.nothing-else' : 'dashboard.attention.none')}
      </p>
    );
  return (
    <ul className="screen-rows">
      {rows.map((card) => (
        <li key={card.id} className={`level-${levelOf(card.state) ?? 0}`}>
          <StateGlyph state={card.state} />
          <span className="screen-row-name">
            <span className="ellipsis strong">{card.name}</span>
            <span className="ellipsis secondary">{stateTitle(card, text)}</span>
          </span>
          <Course card={card} view={view} height={36} />
          <span className="screen-row-value">
            <Value card={card} />
          </span>
          <Since card={card} />
        </li>
      ))}
    </ul>
  );
}

function Figures({ view: { figures, cards } }: { view: ScreenView }) {
  const { text, language } = useViewer();
  const worst = cards.flatMap(({ state }) => (state.kind === 'alarm' ? [state.level] : []))[0];
  const part = (count: number, label: string, glyph: ReactNode) => (
    <div className="screen-figure" data-zero={count === 0 || undefined}>
      <span className="screen-figure-count number">
        {integer(language, count)} {count > 0 ? glyph : null}
      </span>
      <span className="secondary">{label}</span>
    </div>
  );
  return (
    <div className="screen-figures">
      {part(figures.alarm, text('screens.in-alarm'), worst ? <LevelGlyph level={worst} /> : null)}
      {figures.ended > 0 ? part(figures.ended, text('screens.ended'), null) : null}
      {part(figures.pending, text('screens.pending'), <LevelGlyph level={2} mode="pending" />)}
      {part(figures.unknown, text('screens.unknown'), <UnknownGlyph />)}
      {part(figures.normal, text('screens.normal'), null)}
    </div>
  );
}

/** All assets, the worst first: a value each, or the shape of its state. */
function Wall({ view }: { view: ScreenView }) {
  const { text, language } = useViewer();
  const isLarge = sizeOf(view.cards.length) === 'large';
  return (
    <div className="screen-wall">
      <div className="screen-wall-head">
        <span className="strong">{text('screens.wall')}</span>
        <span className="secondary number">
          {view.cards.length < view.total
            ? text('screens.first-of', {
                shown: integer(language, view.cards.length),
                count: integer(language, view.total),
              })
            : integer(language, view.total)}
        </span>
      </div>
      <ul className="screen-cells" data-size={sizeOf(view.cards.length)}>
        {view.cards.map((card) => (
          <li
            key={card.id}
            className={`level-${levelOf(card.state) ?? 0}`}
            data-state={card.state.kind}
            title={card.name}
          >
            {needsAttention(card.state) ? <StateGlyph state={card.state} /> : null}
            {isLarge || !needsAttention(card.state) ? <Cell card={card} /> : null}
            {isLarge ? <span className="screen-cell-name ellipsis">{card.name}</span> : null}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Few assets get larger cells, with their names. */
const sizeOf = (count: number): 'large' | 'medium' | 'small' =>
  count <= MOST_LARGE ? 'large' : count <= MOST_MEDIUM ? 'medium' : 'small';

function Cell({ card: { main, silent } }: { card: AssetCard }) {
  const { text } = useViewer();
  if (!main || main.value === null || silent) return <>{EN_RULE}</>;
  return isQuantity(main) ? (
    <bdi dir="ltr">{indicatorValue(main.indicator, main.value)}</bdi>
  ) : (
    text(switchLabel(main.indicator, main.value))
  );
}

/** What was announced to all users of the organisation. */
function Announcements({ announcements }: Pick<ScreenView, 'announcements'>) {
  const { text, time } = useViewer();
  if (announcements.length === 0)
    return <p className="screen-none secondary">{text('screens.announcements.none')}</p>;
  return (
    <ul className="screen-news">
      {announcements.map(({ id, title, summary, organizationName, publishedAt }) => (
        <li key={id}>
          <span className="strong ellipsis">{title}</span>
          <span className="screen-news-text">{summary}</span>
          <span className="secondary ellipsis">{`${organizationName} · ${time(publishedAt, 'day-time')}`}</span>
        </li>
      ))}
    </ul>
  );
}

function Clock() {
  const { time } = useViewer();
  const clock = useTicking((now) => new Date(now - (now % 60_000)).toISOString());
  return (
    <div className="screen-clock-tile">
      <span className="number">{time(clock, 'time')}</span>
      <span className="secondary">{time(clock, 'date')}</span>
    </div>
  );
}

/** How old the data are: a screen that nobody reloads must say when it shows the past. `readAt` is by the clock of the server. */
export function DataAge({ readAt, lostSince }: { readAt: number; lostSince: number | null }) {
  const { text } = useViewer();
  const age = useTicking((now) => formatDuration(Math.max(0, now - readAt), text));
  return lostSince === null ? (
    text('screens.read-ago', { duration: age })
  ) : (
    <ConnectionLost since={lostSince} />
  );
}

export function ConnectionLost({ since }: { since: number }) {
  const { text, time } = useViewer();
  return (
    <span role="alert" className="strong">
      {text('screens.connection-lost', { time: time(new Date(since).toISOString(), 'day-time') })}
    </span>
  );
}
