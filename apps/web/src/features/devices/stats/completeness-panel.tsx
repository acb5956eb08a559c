import type { DeviceStats } from '@isotherm/contracts/device-stats';
import { COMPLETE_SHARE } from '@isotherm/domain/devices/attention';
import { EN_RULE } from '../../../shared/format/number.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { Notice } from '../../../shared/ui/notice.tsx';
import { DayAxis, DayBars, dayWords } from './day-bars.tsx';
import { DeviceFigures } from './device-figures.tsx';
import { shareWords, wholePercent } from './stats-words.tsx';

/** Panel with the received readings as a share of the expected ones: per day, and for the worst devices. */
export function Completeness({ completeness }: { completeness: DeviceStats['completeness'] }) {
  const { text, language } = useViewer();
  const { received, due, days } = completeness;
  return (
    <section className="panel stats-panel" aria-label={text('stats.completeness')}>
      <h2 className="stats-title">{text('stats.completeness')}</h2>
      {due === 0 ? (
        <Notice icon="curve" title={text('stats.completeness.none')}>
          {text('stats.completeness.when')}
        </Notice>
      ) : (
        <>
          <p>
            <strong className="stats-share">{shareWords(language, received, due)}</strong>{' '}
            <span className="secondary">{text('stats.completeness.means')}</span>
          </p>
          <MissingBars days={days} />
        </>
      )}
    </section>
  );
}

/** Devices with the least complete readings, worst first. */
export function WorstDevices({ worst }: { worst: DeviceStats['completeness']['worst'] }) {
  const { text, language } = useViewer();
  if (worst.length === 0) return null;
  return (
    <section className="panel stats-panel stats-wide">
      <h2 className="stats-title">{text('stats.worst')}</h2>
      <DeviceFigures
        label={text('stats.worst')}
        columns={[text('stats.missing'), text('stats.completeness')]}
        devices={worst}
        figures={(device) => [
          Math.round(device.due - device.received),
          shareWords(language, device.received, device.due),
        ]}
      />
    </section>
  );
}

/**
 * Possible lower ends of the axis. The one that fits the data is chosen, so that incomplete days differ
 * visibly from complete ones, whether they miss 1 % or half of the readings.
 */
const SCALES = [0.99, 0.95, 0.9, 0.75, 0.5, 0] as const;

/** Bar chart of the missing readings of each day; the bars hang down from 100 %. */
function MissingBars({ days }: { days: DeviceStats['completeness']['days'] }) {
  const { text, language } = useViewer();
  const shares = days.map(({ received, due }) => (due === 0 ? 1 : received / due));
  const floor = SCALES.find((scale) => scale <= Math.min(...shares)) ?? 0;
  return (
    <div>
      <div className="stats-missing">
        <span className="small tertiary" aria-hidden="true">
          {wholePercent(language, 1)}
        </span>
        <DayBars
          hanging
          label={text('stats.completeness')}
          bars={days.map(({ day, received, due }, at) => ({
            day,
            height: (1 - (shares[at] as number)) / (1 - floor),
            isBad: (shares[at] as number) < COMPLETE_SHARE,
            words: text('stats.day-words', {
              day: dayWords(language, day),
              share: due === 0 ? EN_RULE : shareWords(language, received, due),
            }),
          }))}
        />
        <span className="small tertiary stats-missing-floor" aria-hidden="true">
          {wholePercent(language, floor)}
        </span>
      </div>
      <DayAxis days={days} />
    </div>
  );
}
