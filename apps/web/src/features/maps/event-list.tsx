import { faultWords } from '@isotherm/i18n/alarm-words';
import { fixed, formatDuration } from '@isotherm/i18n/figures';
import type { Language } from '@isotherm/i18n/languages';
import { levelLabel } from '../../shared/format/labels.ts';
import { withUnit } from '../../shared/format/number.ts';
import { useViewer } from '../../shared/format/viewer.tsx';
import type { Text } from '../../shared/i18n/use-text.ts';
import { Button } from '../../shared/ui/button.tsx';
import { Icon } from '../../shared/ui/icon.tsx';
import { LevelGlyph, UnknownGlyph } from '../../shared/ui/level-glyph.tsx';
import type { TrackEvent, TrackReadings } from './track-data.ts';
import type { Failed } from './use-tracks.ts';

/** What happened on the route; a click leads map and chart to it. */
export function EventList({
  events,
  readings,
  readingsFailed,
  speedLimitKmh,
  playhead,
  onSeek,
}: {
  events: readonly TrackEvent[];
  /** What is among the events of doors and excursions; undefined: not loaded. */
  readings: TrackReadings | undefined;
  readingsFailed: Failed | undefined;
  /** The limit by which times above it were found. */
  speedLimitKmh: number;
  playhead: number | null;
  onSeek: (moment: number) => void;
}) {
  const { text, time, language } = useViewer();
  const shown = readings ? readings.doors.length + readings.excursions.length : 0;
  const current = playhead === null ? -1 : events.findLastIndex(({ at }) => at <= playhead);
  return (
    <section className="panel maps-list" aria-label={text('maps.replay.events')}>
      <h2 className="maps-events-title">{text('maps.replay.events')}</h2>
      {readingsFailed ? (
        <p className="maps-hint" role="alert">
          {text('maps.replay.events.failed')}
          <Button size="small" onClick={() => void readingsFailed.refetch()}>
            {text('common.action.retry')}
          </Button>
        </p>
      ) : null}
      {readings && readings.total > shown ? (
        <p className="maps-hint secondary">
          {text('maps.replay.events.first', { shown, total: readings.total })}
        </p>
      ) : null}
      <ul className="maps-rows">
        {events.map((event, index) => (
          <li key={`${event.kind} ${event.at} ${idOf(event)}`}>
            <button
              type="button"
              className="maps-event"
              aria-current={index === current}
              onClick={() => onSeek(event.at)}
            >
              <span className="number secondary">{time(event.at, 'day-time')}</span>
              <EventGlyph event={event} />
              <span>{eventText(event, { text, language, speedLimitKmh })}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function idOf(event: TrackEvent): string | number {
  switch (event.kind) {
    case 'alarm':
      return event.alarm.id;
    case 'fence':
      return event.event.id;
    case 'door':
      return event.door.channelId;
    case 'excursion':
      return `${event.excursion.channelId} ${event.excursion.side}`;
    default:
      return '';
  }
}

function EventGlyph({ event }: { event: TrackEvent }) {
  if (event.kind === 'alarm') return <LevelGlyph level={event.alarm.level} />;
  if (event.kind === 'gap') return <UnknownGlyph />;
  if (event.kind === 'fence') return <Icon name="fit" small />;
  return <Icon name={ICONS[event.kind]} small />;
}

const ICONS = {
  start: 'route',
  end: 'route',
  stop: 'pause',
  trip: 'vehicle',
  speeding: 'arrow-up',
  door: 'leave',
  excursion: 'curve',
} as const;

interface Words {
  text: Text;
  language: Language;
  speedLimitKmh: number;
}

function eventText(event: TrackEvent, words: Words): string {
  const { text } = words;
  switch (event.kind) {
    case 'start':
    case 'end':
      return text(`maps.replay.${event.kind}`);
    case 'stop':
    case 'gap':
      return text(`maps.replay.${event.kind}`, { duration: formatDuration(event.lastsMs, text) });
    case 'trip':
      return tripText(event.trip, words);
    case 'speeding':
      return text('maps.replay.speeding', {
        limit: words.speedLimitKmh,
        speed: Math.round(event.speeding.maxSpeedKmh),
        duration: formatDuration(event.speeding.to - event.speeding.from, text),
      });
    case 'door':
      return event.door.to === null
        ? text('maps.replay.door.lasting', { name: event.door.name })
        : text('maps.replay.door', {
            name: event.door.name,
            duration: formatDuration(event.door.to - event.door.from, text),
          });
    case 'excursion':
      return excursionText(event.excursion, text);
    case 'fence':
      return text('maps.replay.fence', {
        event: text(`geofences.event.${event.event.kind}`),
        name: event.event.name,
      });
    case 'alarm':
      return text('maps.replay.alarm', {
        level: levelLabel(event.alarm.level, text),
        fault: faultWords(event.alarm.indicator, event.alarm.kind, text),
      });
  }
}

function tripText(
  { from, to, distanceM, maxSpeedKmh }: Extract<TrackEvent, { kind: 'trip' }>['trip'],
  { text, language }: Words,
): string {
  const trip = {
    distance: fixed(distanceM / 1000, 1, language),
    duration: formatDuration(to - from, text),
  };
  return maxSpeedKmh === null
    ? text('maps.replay.trip.no-speed', trip)
    : text('maps.replay.trip', { ...trip, speed: Math.round(maxSpeedKmh) });
}

function excursionText(
  { name, indicator, side, limit, peak, from, to }: Extract<TrackEvent, { kind: 'excursion' }>['excursion'],
  text: Text,
): string {
  const words = { name, limit: withUnit(indicator, limit), peak: withUnit(indicator, peak) };
  return to === null
    ? text(`maps.replay.${side}.lasting`, words)
    : text(`maps.replay.${side}`, { ...words, duration: formatDuration(to - from, text) });
}
