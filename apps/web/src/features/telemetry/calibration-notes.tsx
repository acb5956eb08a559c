import type { CurveSeries } from '@isotherm/contracts/telemetry';
import { listed } from '../../shared/format/listed.ts';
import { useViewer } from '../../shared/format/viewer.tsx';
import { Icon } from '../../shared/ui/icon.tsx';

/** Notes about the calibration of a chart's sensors: corrected readings, expired certificates. */
export function CalibrationNotes({ series }: { series: readonly CurveSeries[] }) {
  const { text, time } = useViewer();
  const ended = series.filter((each) => each.calibrationEndedAt !== null);
  const corrected = series.filter((each) => each.corrected);
  if (ended.length + corrected.length === 0) return null;
  return (
    <ul className="curve-notes small">
      {ended.map(({ channelId, name, calibrationEndedAt }) => (
        <li key={channelId} className="curve-note-grave">
          <Icon name="info" small />
          {text('curve.calibration-ended', { name, day: time(calibrationEndedAt as string, 'date') })}
        </li>
      ))}
      {corrected.length > 0 ? (
        <li className="secondary">
          <Icon name="info" small />
          {text('curve.corrected', {
            names: listed(
              corrected.map(({ name }) => name),
              text,
            ),
          })}
        </li>
      ) : null}
    </ul>
  );
}
