import type { DeviceStats } from '@isotherm/contracts/device-stats';
import { COMPLETE_SHARE } from '@isotherm/domain/devices/attention';
import { CONNECTION_STATES } from '@isotherm/domain/devices/device-state';
import type { ReactNode } from 'react';
import { Link, useLocation } from 'react-router';
import { EN_RULE } from '../../../shared/format/number.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { TableFrame } from '../../../shared/ui/table-frame.tsx';
import { dayWords } from './day-bars.tsx';
import { Count, listOf, shareWords } from './stats-words.tsx';

type Group = Pick<DeviceStats['models'][number], 'total' | 'connections'>;

/** Tables of the devices by organisation, one level at a time, and by model. */
export function GroupTables({
  stats,
  organizationId,
}: {
  stats: DeviceStats;
  organizationId: number | undefined;
}) {
  const { text, language } = useViewer();
  const { pathname, search } = useLocation();
  const into = (id: number) => {
    const query = new URLSearchParams(search);
    query.set('organizationId', String(id));
    return `${pathname}?${query}`;
  };
  return (
    <>
      <section className="panel stats-panel stats-wide">
        <h2 className="stats-title">{text('stats.by-organization')}</h2>
        <Groups
          label={text('stats.by-organization')}
          head={text('devices.organization')}
          more={text('stats.completeness')}
          groups={stats.organizations.map((group) => ({
            group,
            key: String(group.id),
            name: group.isOwn ? (
              text('stats.own', { name: group.name })
            ) : (
              <Link to={into(group.id)}>{group.name}</Link>
            ),
            // There is no link, because the list cannot filter by an organisation without its subordinate
            // ones.
            ...(group.isOwn && stats.organizations.length > 1
              ? {}
              : { filter: { organizationId: group.id } }),
            more: group.due === 0 ? EN_RULE : shareWords(language, group.received, group.due),
            days: group.days,
          }))}
          others={stats.otherOrganizations}
        />
      </section>
      <section className="panel stats-panel stats-wide">
        <h2 className="stats-title">{text('stats.by-model')}</h2>
        <Groups
          label={text('stats.by-model')}
          head={text('devices.model')}
          groups={stats.models.map((group) => ({
            group,
            key: group.model,
            name: group.model || text('stats.no-model'),
            ...(group.model === '' ? {} : { filter: { model: group.model, organizationId } }),
          }))}
          others={stats.otherModels}
        />
      </section>
    </>
  );
}

function Groups({
  label,
  head,
  more,
  groups,
  others,
}: {
  label: string;
  head: string;
  more?: string;
  groups: readonly {
    group: Group;
    key: string;
    name: ReactNode;
    /** Filter of the device list; absent if the list cannot filter by this group. */
    filter?: Readonly<Record<string, string | number | undefined>>;
    more?: string;
    days?: DeviceStats['organizations'][number]['days'];
  }[];
  /** Number of devices in the groups that are not shown. */
  others: number;
}) {
  const { text, language } = useViewer();
  return (
    <>
      <TableFrame label={label}>
        <thead>
          <tr>
            <th scope="col">{head}</th>
            <th scope="col" className="figure">
              {text('stats.devices')}
            </th>
            {CONNECTION_STATES.map((state) => (
              <th key={state} scope="col" className="figure">
                {text(`devices.connection.${state}`)}
              </th>
            ))}
            <th scope="col" className="figure">
              {text('stats.online-share')}
            </th>
            {more ? (
              <>
                <th scope="col" className="figure">
                  {more}
                </th>
                <th scope="col">{text('stats.per-day')}</th>
              </>
            ) : null}
          </tr>
        </thead>
        <tbody>
          {groups.map(({ group, key, name, filter, more: said, days }) => (
            <tr key={key}>
              <td>{name}</td>
              <td className="figure">
                {filter ? <Count value={group.total} to={listOf(filter)} /> : group.total}
              </td>
              {CONNECTION_STATES.map((connection) => (
                <td key={connection} className="figure">
                  {filter ? (
                    <Count value={group.connections[connection]} to={listOf({ ...filter, connection })} />
                  ) : (
                    group.connections[connection]
                  )}
                </td>
              ))}
              <td className="figure">
                <bdi dir="ltr">{shareWords(language, group.connections.online, group.total)}</bdi>
              </td>
              {more ? (
                <>
                  <td className="figure">
                    <bdi dir="ltr">{said}</bdi>
                  </td>
                  <td>
                    <DayStrip days={days ?? []} />
                  </td>
                </>
              ) : null}
            </tr>
          ))}
        </tbody>
      </TableFrame>
      {others > 0 ? (
        <p className="small secondary">{text('stats.others', { shown: groups.length, count: others })}</p>
      ) : null}
    </>
  );
}

/**
 * One square per day. Its colour shows whether the day is complete or has less than 95 % of the expected
 * readings.
 */
function DayStrip({ days }: { days: DeviceStats['organizations'][number]['days'] }) {
  const { text, language } = useViewer();
  if (days.length === 0) return EN_RULE;
  return (
    <ol className="day-strip">
      {days.map(({ day, received, due }) => {
        const words = text('stats.day-words', {
          day: dayWords(language, day),
          share: due === 0 ? EN_RULE : shareWords(language, received, due),
        });
        return (
          <li
            key={day}
            title={words}
            className={received < COMPLETE_SHARE * due ? 'day-cell day-cell-bad' : 'day-cell'}
          >
            <span className="visually-hidden">{words}</span>
          </li>
        );
      })}
    </ol>
  );
}
