import type { Dashboard } from '@isotherm/contracts/dashboard';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { integer } from '../../shared/format/number.ts';
import { useViewer } from '../../shared/format/viewer.tsx';
import { Icon, type IconName } from '../../shared/ui/icon.tsx';
import { LevelGlyph, UnknownGlyph, UnsetGlyph } from '../../shared/ui/level-glyph.tsx';
import { faultOf } from './dashboard-words.ts';
import { Tile } from './tile.tsx';

/** A balance that lasts for fewer days than this needs attention. */
const LOW_BALANCE_DAYS = 14;
/** Weeks in which an end of a subscription needs attention. */
const SOON_WEEKS = 4;

interface Item {
  key: string;
  mark: ReactNode;
  what: string;
  why: string;
  to: string;
  action: string;
}

/** What a person must do today, the most urgent first. */
export function AttentionTile({ dashboard }: { dashboard: Dashboard }) {
  const { text, language } = useViewer();
  const items = useItems(dashboard);
  return (
    <Tile name="attention" note={items.length > 0 ? integer(language, items.length) : undefined}>
      {items.length === 0 ? (
        <p className="dashboard-none">
          <Icon name="check" /> {text('dashboard.attention.none')}
        </p>
      ) : (
        <ul className="dashboard-rows">
          {items.map(({ key, mark, what, why, to, action }) => (
            <li key={key}>
              {mark}
              <span className="grow dashboard-cut">
                <span className="strong">{what}</span> <span className="tertiary">{why}</span>
              </span>
              <Link className="small dashboard-link" to={to} aria-label={`${action}: ${what}`}>
                {action}
              </Link>
            </li>
          ))}
        </ul>
      )}
    </Tile>
  );
}

function useItems(dashboard: Dashboard): readonly Item[] {
  const { text } = useViewer();
  const { alarms, assets, balances, calibrations, devices, expiringByWeek, failedBackups, releasedDevices } =
    dashboard;
  const soon = (expiringByWeek ?? []).slice(0, SOON_WEEKS).reduce((sum, each) => sum + each, 0);
  const open = text('dashboard.action.open');
  const counted = (key: string, icon: IconName, count: number, to: string): Item[] =>
    count > 0
      ? [{ key, mark: <Icon name={icon} />, what: countedWords(key, count), why: '', to, action: open }]
      : [];
  const countedWords = (key: string, count: number) =>
    text(`dashboard.attention.${key as 'offline'}`, { count });
  return [
    ...(alarms?.waiting ?? []).map((alarm) => ({
      key: `alarm-${alarm.id}`,
      mark: <LevelGlyph level={alarm.level} mode={alarm.endedAt ? 'ended' : 'solid'} />,
      what: `${alarm.assetName}, ${faultOf(alarm, text)}`,
      why: text('dashboard.attention.unacknowledged'),
      to: `/alarm/${alarm.id}`,
      action: text('dashboard.action.acknowledge'),
    })),
    ...(assets.silent > 0
      ? [
          {
            key: 'silent',
            mark: <UnknownGlyph />,
            what: text('dashboard.attention.silent', { count: assets.silent }),
            why: '',
            to: '/alarm/current',
            action: open,
          },
        ]
      : []),
    ...(assets.unwatched > 0
      ? [
          {
            key: 'unwatched',
            mark: <UnsetGlyph />,
            what: text('dashboard.attention.unwatched', { count: assets.unwatched }),
            why: '',
            to: '/monitor?state=unset',
            action: open,
          },
        ]
      : []),
    ...(balances ?? [])
      .filter(({ lastsDays }) => lastsDays !== null && lastsDays < LOW_BALANCE_DAYS)
      .map(({ commodity, lastsDays }) => ({
        key: `balance-${commodity}`,
        mark: <Icon name="recharge" />,
        what: text('dashboard.attention.balance', { commodity: text(`billing.commodity.${commodity}`) }),
        why: text('billing.lasts', { days: lastsDays ?? 0 }),
        to: `/recharge/${commodity}`,
        action: text('dashboard.action.recharge'),
      })),
    ...counted('released', 'clock', releasedDevices ?? 0, '/device/expired'),
    ...counted('backups', 'shield', failedBackups ?? 0, '/setting/backup'),
    ...counted('overdue', 'shield', calibrations?.overdue ?? 0, '/device/calibration?view=overdue'),
    ...counted('due-soon', 'shield', calibrations?.dueSoon ?? 0, '/device/calibration?view=due-soon'),
    ...counted('expiring', 'clock', soon, '/device/expired'),
    ...counted('offline', 'unlinked', devices?.connections.offline ?? 0, '/device/list?connection=offline'),
    ...counted(
      'battery-low',
      'battery-low',
      devices?.attention['battery-low'] ?? 0,
      '/device/list?attention=battery-low',
    ),
  ];
}
