import { faultWords } from '@isotherm/i18n/alarm-words';
import { formatDuration } from '@isotherm/i18n/figures';
import { levelLabel } from '../../shared/format/labels.ts';
import { useViewer } from '../../shared/format/viewer.tsx';
import type { Text } from '../../shared/i18n/use-text.ts';
import { Icon } from '../../shared/ui/icon.tsx';
import { LevelGlyph, UnknownGlyph } from '../../shared/ui/level-glyph.tsx';
import type { TrackEvent } from './track-data.ts';

/** What happened on the way; a click leads map and chart to it. */
export function EventList({
  events,
  playhead,
  onSeek,
}: {
  events: readonly TrackEvent[];
  playhead: number | null;
  onSeek: (moment: number) => void;
}) {
  const { text, time } = useViewer();
  const current = playhead === null ? -1 : events.findLastIndex(({ at }) => at <= playhead);
  return (
    <section className="panel maps-list" aria-label={text('maps.replay.events')}>
      <h2 className="maps-events-title">{text('maps.replay.events')}</h2>
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
              <span>{eventText(event, text)}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

const idOf = (event: TrackEvent) =>
  event.kind === 'alarm' ? event.alarm.id : event.kind === 'fence' ? event.event.id : '';

function EventGlyph({ event }: { event: TrackEvent }) {
  if (event.kind === 'alarm') return <LevelGlyph level={event.alarm.level} />;
  if (event.kind === 'gap') return <UnknownGlyph />;
  if (event.kind === 'fence') return <Icon name="fit" small />;
  return <Icon name={event.kind === 'stop' ? 'pause' : 'route'} small />;
}

function eventText(event: TrackEvent, text: Text): string {
  switch (event.kind) {
    case 'start':
    case 'end':
      return text(`maps.replay.${event.kind}`);
    case 'stop':
    case 'gap':
      return text(`maps.replay.${event.kind}`, { duration: formatDuration(event.lastsMs, text) });
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
