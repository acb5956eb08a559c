import type { Dashboard } from '@isotherm/contracts/dashboard';
import { CONNECTION_STATES } from '@isotherm/domain/devices/device-state';
import { Link } from 'react-router';
import { integer } from '../../shared/format/number.ts';
import { useViewer } from '../../shared/format/viewer.tsx';
import { labelled } from '../../shared/i18n/phrases.ts';
import { buttonClass } from '../../shared/ui/button.tsx';
import { Tile } from './tile.tsx';

/** Days that the bars of a balance show. */
const BALANCE_DAYS = 60;
const LOW_BALANCE_DAYS = 14;
/** Weeks that are marked as soon. */
const SOON_WEEKS = 4;

export function DevicesTile({ devices }: { devices: NonNullable<Dashboard['devices']> }) {
  const { text, language } = useViewer();
  const rows = [
    ...CONNECTION_STATES.map((state) => ({
      key: state as string,
      words: text(`devices.connection.${state}`),
      count: devices.connections[state],
      to: `/device/list?connection=${state}`,
    })),
    {
      key: 'unbound',
      words: text('devices.bound.unbound'),
      count: devices.total - devices.bound,
      to: '/device/list?bound=unbound',
    },
    {
      key: 'expired',
      words: text('devices.term.expired'),
      count: devices.terms.expired + devices.terms.lapsed,
      to: '/device/expired',
    },
  ];
  return (
    <Tile name="devices" link={{ to: '/device/list', words: text('dashboard.device-list') }}>
      <p>
        <span className="dashboard-figure number">{integer(language, devices.total)}</span>{' '}
        <span className="small tertiary">{text('dashboard.devices.registered')}</span>
      </p>
      <div className="dashboard-stack" aria-hidden="true">
        {CONNECTION_STATES.map((state) => (
          <span
            key={state}
            className={`dashboard-stack-${state}`}
            style={{ flexGrow: devices.connections[state] }}
          />
        ))}
      </div>
      <ul className="dashboard-rows">
        {rows.map(({ key, words, count, to }) => (
          <li key={key}>
            <span className={`dashboard-swatch dashboard-stack-${key}`} aria-hidden="true" />
            <span className="grow">{words}</span>
            <Link
              className="number dashboard-link"
              to={to}
              aria-label={`${words}: ${integer(language, count)}`}
            >
              {integer(language, count)}
            </Link>
          </li>
        ))}
      </ul>
    </Tile>
  );
}

export function BalanceTile({ balances }: { balances: NonNullable<Dashboard['balances']> }) {
  const { text, language } = useViewer();
  const used = balances.filter(({ available, usedIn30Days }) => available !== 0 || usedIn30Days > 0);
  return (
    <Tile
      name="balance"
      note={text('dashboard.balance.note', { days: BALANCE_DAYS, mark: LOW_BALANCE_DAYS })}
    >
      {used.length === 0 ? (
        <p className="dashboard-none">
          {text('dashboard.balance.none')} <Link to="/recharge/sms">{text('dashboard.action.recharge')}</Link>
        </p>
      ) : null}
      <ul className="dashboard-rows dashboard-balances">
        {used.map(({ commodity, available, lastsDays }) => {
          const isLow = lastsDays !== null && lastsDays < LOW_BALANCE_DAYS;
          return (
            <li key={commodity}>
              <span className="secondary dashboard-commodity">{text(`billing.commodity.${commodity}`)}</span>
              <span className="dashboard-units number">{integer(language, available)}</span>
              <span className="grow">
                <span className={isLow ? 'small strong' : 'small secondary'}>
                  {lastsDays === null
                    ? text('dashboard.balance.unused')
                    : text('billing.lasts', { days: lastsDays })}
                </span>
                {lastsDays === null ? null : (
                  <span className="dashboard-gauge" aria-hidden="true">
                    <span style={{ width: `${(100 * Math.min(BALANCE_DAYS, lastsDays)) / BALANCE_DAYS}%` }} />
                    <i style={{ left: `${(100 * LOW_BALANCE_DAYS) / BALANCE_DAYS}%` }} />
                  </span>
                )}
              </span>
              <Link
                className={buttonClass({ size: 'small' })}
                to={`/recharge/${commodity}`}
                aria-label={labelled(
                  text,
                  text('dashboard.action.recharge'),
                  text(`billing.commodity.${commodity}`),
                )}
              >
                {text('dashboard.action.recharge')}
              </Link>
            </li>
          );
        })}
      </ul>
    </Tile>
  );
}

export function ExpiringTile({ weeks }: { weeks: readonly number[] }) {
  const { text, language } = useViewer();
  const highest = Math.max(1, ...weeks);
  const sum = (values: readonly number[]) => values.reduce((total, each) => total + each, 0);
  return (
    <Tile
      name="expiring"
      note={text('dashboard.expiring.note', { count: sum(weeks), soon: sum(weeks.slice(0, SOON_WEEKS)) })}
      link={{ to: '/device/expired', words: text('dashboard.renew') }}
    >
      {sum(weeks) === 0 ? (
        <p className="dashboard-none">{text('dashboard.expiring.none')}</p>
      ) : (
        <>
          <ol className="dashboard-standing" aria-label={text('dashboard.tile.expiring')}>
            {weeks.map((count, week) => {
              const words = text('dashboard.expiring.week', { week: week + 1, count });
              return (
                // biome-ignore lint/suspicious/noArrayIndexKey: the place is the week
                <li key={week} title={words}>
                  <span className="visually-hidden">{words}</span>
                  {count > 0 ? (
                    <span
                      className={week < SOON_WEEKS ? 'dashboard-bar dashboard-bar-bad' : 'dashboard-bar'}
                      style={{ height: `${Math.max(8, (100 * count) / highest)}%` }}
                      aria-hidden="true"
                    />
                  ) : null}
                </li>
              );
            })}
          </ol>
          <div className="dashboard-axis small tertiary" aria-hidden="true">
            <span>{text('dashboard.expiring.now')}</span>
            <span>{text('dashboard.expiring.end', { count: integer(language, weeks.length) })}</span>
          </div>
        </>
      )}
    </Tile>
  );
}
