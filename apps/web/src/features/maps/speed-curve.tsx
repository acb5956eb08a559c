import { speedOf } from '@isotherm/domain/geo/track';
import { type MouseEvent, useMemo } from 'react';
import { useViewer } from '../../shared/format/viewer.tsx';
import type { AssetTrack } from './track-data.ts';

/** Size of the drawing, which is stretched to the width of the panel. */
const WIDTH = 1_000;
const HEIGHT = 64;
/** Lowest speed at the top of the curve, so that a slow drive does not look like a fast one. */
const LEAST_TOP_KMH = 60;

/**
 * The speed along the route, with its limit and the playhead. The curve is that of the positions that the map shows; the highest
 * speed is that of all positions. A click seeks there; the slider above does the same with the keyboard.
 */
export function SpeedCurve({
  track,
  playhead,
  onSeek,
}: {
  track: AssetTrack;
  playhead: number | null;
  onSeek: (moment: number) => void;
}) {
  const { text, time } = useViewer();
  const speeds = useMemo(() => speedsOf(track), [track]);
  const [first, last] = [speeds[0]?.[0]?.at ?? 0, speeds.at(-1)?.at(-1)?.at ?? 0];
  const { speedLimitKmh: limitKmh, trips } = track;
  const known = trips.flatMap(({ maxSpeedKmh }) => maxSpeedKmh ?? []);
  const highest = speeds
    .flat()
    .reduce((most, { speedKmh }) => Math.max(most, speedKmh), Math.max(0, ...known));
  const top = Math.max(LEAST_TOP_KMH, Math.ceil(highest / 20) * 20);
  const path = useMemo(() => pathOf(speeds, first, last, top), [speeds, first, last, top]);
  if (path === '') return null;
  const y = (speedKmh: number) => HEIGHT * (1 - speedKmh / top);
  const share = playhead === null ? null : Math.min(1, Math.max(0, (playhead - first) / (last - first)));
  const seek = ({ currentTarget, clientX }: MouseEvent<SVGSVGElement>) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    onSeek(first + Math.min(1, Math.max(0, (clientX - left) / width)) * (last - first));
  };
  return (
    <section className="panel maps-speed" aria-label={text('maps.replay.speed')}>
      <div className="maps-speed-head">
        <span className="strong">{text('maps.replay.speed')}</span>
        {known.length > 0 ? (
          <span className="secondary number">
            {text('maps.replay.fastest', { speed: Math.round(Math.max(...known)) })}
          </span>
        ) : null}
      </div>
      <div className="maps-speed-plot">
        <div className="maps-speed-scale small tertiary number" aria-hidden="true">
          <span>{top}</span>
          <span>0</span>
        </div>
        {/* biome-ignore lint/a11y/useKeyWithClickEvents: the slider of the player seeks with the keyboard. */}
        <svg
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={text('maps.replay.speed.of', { name: track.name })}
          onClick={seek}
        >
          {limitKmh < top ? (
            <line className="maps-speed-limit" x1={0} x2={WIDTH} y1={y(limitKmh)} y2={y(limitKmh)} />
          ) : null}
          {track.speedings.map(({ from, to }) => (
            <rect
              key={from}
              className="maps-speed-over"
              x={((from - first) / (last - first)) * WIDTH}
              width={Math.max(2, ((to - from) / (last - first)) * WIDTH)}
              y={0}
              height={HEIGHT}
            />
          ))}
          <path className="maps-speed-line" d={path} />
          {share === null ? null : (
            <line className="maps-speed-playhead" x1={share * WIDTH} x2={share * WIDTH} y1={0} y2={HEIGHT} />
          )}
        </svg>
      </div>
      <div className="maps-speed-axis small tertiary number">
        <span>{time(first, 'day-time')}</span>
        <span>{time(last, 'day-time')}</span>
      </div>
    </section>
  );
}

interface SpeedAt {
  at: number;
  speedKmh: number;
}

/** The known speeds of each line, by the rule of the track. */
export function speedsOf({ fixes, lines }: Pick<AssetTrack, 'fixes' | 'lines'>): SpeedAt[][] {
  return lines
    .map((line) =>
      line.flatMap((index, place): SpeedAt[] => {
        const fix = fixes[index];
        const before = fixes[line[place - 1] ?? -1];
        if (!fix) return [];
        const speedKmh = speedOf(fix, before ?? null);
        return speedKmh === null ? [] : [{ at: fix.at, speedKmh }];
      }),
    )
    .filter((line) => line.length > 0);
}

/** One line for each stretch; of several speeds at the same pixel, the highest and the lowest remain. */
export function pathOf(
  speeds: readonly (readonly SpeedAt[])[],
  first: number,
  last: number,
  top: number,
): string {
  if (last <= first) return '';
  return speeds
    .map((line) => {
      const columns = new Map<number, { low: number; high: number }>();
      for (const { at, speedKmh } of line) {
        const x = Math.round(((at - first) / (last - first)) * WIDTH);
        const { low, high } = columns.get(x) ?? { low: speedKmh, high: speedKmh };
        columns.set(x, { low: Math.min(low, speedKmh), high: Math.max(high, speedKmh) });
      }
      const y = (speedKmh: number) => (HEIGHT * (1 - speedKmh / top)).toFixed(1);
      const points = [...columns].flatMap(([x, { low, high }]) =>
        low === high ? [`${x} ${y(low)}`] : [`${x} ${y(low)}`, `${x} ${y(high)}`],
      );
      return `M${points.join('L')}`;
    })
    .join('');
}
