import type { DeviceStats } from '@isotherm/contracts/device-stats';
import type { TextId } from '@isotherm/i18n/text-id';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { withUnit } from '../../../shared/format/number.ts';
import { Age, useViewer } from '../../../shared/format/viewer.tsx';
import { labelled } from '../../../shared/i18n/phrases.ts';
import { Icon, type IconName } from '../../../shared/ui/icon.tsx';
import { Notice } from '../../../shared/ui/notice.tsx';
import { listOf, shareWords } from './stats-words.tsx';

interface Finding {
  id: TextId;
  icon: IconName;
  count: number;
  /** Filter of the device list that finds these devices. */
  filter: Readonly<Record<string, string>>;
  /** The most urgent device, and the reason. */
  worst?: { number: string; name: string; why: ReactNode } | undefined;
}

/** Panel with the device problems, most urgent first: current ones, then expected ones. */
export function FirstPanel({
  stats,
  organizationId,
}: {
  stats: DeviceStats;
  organizationId: number | undefined;
}) {
  const { text } = useViewer();
  const found = useFindings(stats).filter(({ count }) => count > 0);
  return (
    <section className="panel stats-panel stats-wide" aria-label={text('stats.first')}>
      <h2 className="stats-title">{text('stats.first')}</h2>
      {found.length === 0 ? (
        <Notice icon="check" title={text('stats.first.none')}>
          {text('stats.first.none.reason')}
        </Notice>
      ) : (
        <ul className="stats-first">
          {found.map(({ id, icon, count, filter, worst }) => (
            <li key={id}>
              <Icon name={icon} />
              <span className="stats-first-what">
                <span className="strong">{text(id, { count })}</span>
                {worst ? (
                  <span className="secondary">
                    <Link to={`/device/list/${worst.number}`}>{worst.name}</Link> · {worst.why}
                  </span>
                ) : null}
              </span>
              <Link
                className="stats-first-show"
                to={listOf({ ...filter, organizationId })}
                aria-label={labelled(text, text('stats.first.show'), text(id, { count }))}
              >
                {text('stats.first.show')}
              </Link>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function useFindings(stats: DeviceStats): readonly Finding[] {
  const { text, language } = useViewer();
  const { attention, connections, terms } = stats;
  const [silent] = stats.offline.longest;
  const [short] = stats.completeness.worst;
  const [ending] = stats.batteries;
  const [weak] = stats.signals;
  return [
    {
      id: 'stats.first.offline',
      icon: 'unlinked',
      count: connections.offline,
      filter: { connection: 'offline', sort: 'lastSeenAt', order: 'asc' },
      worst: silent && { ...silent, why: <Age since={silent.lastSeenAt} /> },
    },
    {
      id: 'stats.first.battery-ending',
      icon: 'battery-low',
      count: attention['battery-ending'],
      filter: { attention: 'battery-ending' },
      worst: ending && {
        ...ending,
        why: text('stats.days-left.words', { count: Math.floor(ending.daysLeft) }),
      },
    },
    {
      id: 'stats.first.battery-low',
      icon: 'battery-low',
      count: attention['battery-low'],
      filter: { attention: 'battery-low' },
    },
    {
      id: 'stats.first.incomplete',
      icon: 'curve',
      count: attention.incomplete,
      filter: { attention: 'incomplete' },
      worst: short && { ...short, why: shareWords(language, short.received, short.due) },
    },
    {
      id: 'stats.first.signal-weak',
      icon: 'channels',
      count: attention['signal-weak'],
      filter: { attention: 'signal-weak' },
      worst: weak && { ...weak, why: withUnit('signal', weak.signal) },
    },
    {
      id: 'stats.first.expired',
      icon: 'clock',
      count: terms.expired + terms.lapsed,
      filter: { term: 'to-renew', sort: 'expiresOn', order: 'asc' },
    },
    {
      id: 'stats.first.never-seen',
      icon: 'unlinked',
      count: connections['never-seen'],
      filter: { connection: 'never-seen' },
    },
    {
      id: 'stats.first.unbound',
      icon: 'devices',
      count: stats.total - stats.bound,
      filter: { bound: 'unbound' },
    },
  ];
}
