import type { CurveSeries } from '@isotherm/contracts/telemetry';
import { offsetText } from '../../shared/format/clock-offset.ts';
import { useViewer } from '../../shared/format/viewer.tsx';
import { Icon } from '../../shared/ui/icon.tsx';

/**
 * Notes for periods of a chart in which times are estimated because the device's clock was wrong (decision
 * 34).
 */
export function ClockNotes({ series }: { series: readonly CurveSeries[] }) {
  const { text, time } = useViewer();
  const estimated = series.filter((each) => each.estimated.length > 0);
  if (estimated.length === 0) return null;
  return (
    <ul className="curve-notes small">
      {estimated.flatMap((each) =>
        each.estimated.map(({ from, until, offsetMs }) => {
          const values = {
            name: each.name,
            offset: offsetText(offsetMs, text),
            from: time(from, 'date-time'),
          };
          return (
            <li key={`${each.channelId}-${from}`} className="curve-note-grave">
              <Icon name="info" small />
              {until === null
                ? text('curve.estimated.since', values)
                : text('curve.estimated.between', { ...values, until: time(until, 'date-time') })}
            </li>
          );
        }),
      )}
    </ul>
  );
}
