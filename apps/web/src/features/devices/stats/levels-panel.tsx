import type { DeviceStats } from '@isotherm/contracts/device-stats';
import { BATTERY_STEPS, OFFLINE_STEPS_H, SIGNAL_STEPS } from '@isotherm/domain/devices/attention';
import { integer, withUnit } from '../../../shared/format/number.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { Count, listOf } from './stats-words.tsx';

/** Panel with the distribution of devices by battery level, signal and time offline, worst group first. */
export function LevelsPanel({
  stats,
  organizationId,
}: {
  stats: DeviceStats;
  organizationId: number | undefined;
}) {
  const { text } = useViewer();
  const days = (hours: number) => text('stats.days', { count: hours / 24 });
  const offline = [...OFFLINE_STEPS_H, null].map((to, at) => {
    const from = OFFLINE_STEPS_H[at - 1];
    if (to === null) return text('stats.group.longer', { from: days(from ?? 0) });
    return from === undefined
      ? text('stats.group.up-to', { to: days(to) })
      : text('stats.group.between', { from: days(from), to: days(to) });
  });
  const levels = (steps: readonly number[], indicator: 'battery' | 'signal') =>
    [...steps, null].map((to, at) => {
      const from = withUnit(indicator, steps[at - 1] ?? 0);
      if (to === null) return text('stats.group.above', { from });
      return at === 0
        ? text('stats.group.at-most', { to: withUnit(indicator, to) })
        : text('stats.group.between', { from, to: withUnit(indicator, to) });
    });
  const to = (filter: Record<string, string>) => listOf({ ...filter, organizationId });
  return (
    <section className="panel stats-panel" aria-label={text('stats.levels')}>
      <h2 className="stats-title">{text('stats.levels')}</h2>
      <p className="small secondary">{text('stats.levels.means')}</p>
      <Distribution
        title={text('devices.battery')}
        none={text('stats.levels.none')}
        groups={levels(BATTERY_STEPS, 'battery')}
        counts={stats.levels.battery}
        worst={to({ attention: 'battery-low' })}
      />
      <Distribution
        title={text('devices.signal')}
        none={text('stats.levels.none')}
        groups={levels(SIGNAL_STEPS, 'signal')}
        counts={stats.levels.signal}
        worst={to({ attention: 'signal-weak' })}
      />
      <Distribution
        title={text('stats.offline-for')}
        none={text('stats.offline-for.none')}
        groups={offline.toReversed()}
        counts={stats.offline.groups.toReversed()}
        worst={to({ connection: 'offline', sort: 'lastSeenAt', order: 'asc' })}
      />
    </section>
  );
}

function Distribution({
  title,
  none,
  groups,
  counts,
  worst,
}: {
  title: string;
  none: string;
  /** Labels of the groups, worst first. */
  groups: readonly string[];
  counts: readonly number[];
  /** Address of the device list for the worst group. */
  worst: string;
}) {
  const most = Math.max(...counts);
  return (
    <section className="stats-distribution" aria-label={title}>
      <h3 className="small secondary">{title}</h3>
      {most > 0 ? (
        <ul>
          {groups.map((group, at) => {
            const count = counts[at] ?? 0;
            return (
              <li key={group}>
                <span>{group}</span>
                <span className="stats-track" aria-hidden="true">
                  {count > 0 ? (
                    <span
                      className={at === 0 ? 'stats-part-worst' : ''}
                      style={{ width: `${(count / most) * 100}%` }}
                    />
                  ) : null}
                </span>
                <Share count={count} {...(at === 0 ? { to: worst, label: group } : {})} />
              </li>
            );
          })}
        </ul>
      ) : (
        <p className="small tertiary">{none}</p>
      )}
    </section>
  );
}

function Share({ count, to, label }: { count: number; to?: string; label?: string }) {
  const { language } = useViewer();
  if (to !== undefined) return <Count value={count} to={to} {...(label ? { label } : {})} />;
  return <span className="number secondary">{integer(language, count)}</span>;
}
