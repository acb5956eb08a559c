import type { CurveSeries } from '@isotherm/contracts/telemetry';
import { useViewer } from '../../shared/format/viewer.tsx';
import { Icon } from '../../shared/ui/icon.tsx';

/** Notes which devices measured the readings of a chart, if one device replaced another. */
export function SourceNotes({ series }: { series: readonly CurveSeries[] }) {
  const { text, time } = useViewer();
  const replaced = series.filter(({ sources }) => sources.length > 0);
  if (replaced.length === 0) return null;
  return (
    <ul className="curve-notes small">
      {replaced.flatMap(({ channelId, name, sources }) =>
        sources.map(({ device, serial, until }) => (
          <li key={`${channelId}-${until}`} className="secondary">
            <Icon name="info" small />
            {until === null
              ? text('curve.source.now', { name, device, serial })
              : text('curve.source.until', { name, device, serial, time: time(until, 'date-time') })}
          </li>
        )),
      )}
    </ul>
  );
}
