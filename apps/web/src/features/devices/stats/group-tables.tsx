import type { DeviceStats } from '@isotherm/contracts/device-stats';
import { CONNECTION_STATES } from '@isotherm/domain/devices/device-state';
import type { ReactNode } from 'react';
import { Link, useLocation } from 'react-router';
import { EN_RULE } from '../../../shared/format/number.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { TableFrame } from '../../../shared/ui/table-frame.tsx';
import { ConnectionBar, Count, listOf, shareWords } from './stats-words.tsx';

type Group = Pick<DeviceStats['models'][number], 'total' | 'connections'>;

/** Devices by organisation, one level at a time, and by model. */
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
            // Own devices alone cannot be asked for: the list goes down the tree.
            ...(group.isOwn && stats.organizations.length > 1
              ? {}
              : { filter: { organizationId: group.id } }),
            more: group.due === 0 ? EN_RULE : shareWords(language, group.received, group.due),
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
    /** What the list is filtered by; without it the list cannot be asked for these. */
    filter?: Readonly<Record<string, string | number | undefined>>;
    more?: string;
  }[];
  /** Devices of the groups that are not shown. */
  others: number;
}) {
  const { text } = useViewer();
  return (
    <>
      <TableFrame label={label}>
        <thead>
          <tr>
            <th scope="col">{head}</th>
            <th scope="col" className="figure">
              {text('stats.devices')}
            </th>
            <th scope="col" aria-label={text('devices.connection')} />
            {CONNECTION_STATES.map((state) => (
              <th key={state} scope="col" className="figure">
                {text(`devices.connection.${state}`)}
              </th>
            ))}
            {more ? (
              <th scope="col" className="figure">
                {more}
              </th>
            ) : null}
          </tr>
        </thead>
        <tbody>
          {groups.map(({ group, key, name, filter, more: said }) => (
            <tr key={key}>
              <td>{name}</td>
              <td className="figure">
                {filter ? <Count value={group.total} to={listOf(filter)} /> : group.total}
              </td>
              <td className="stats-bar-cell">
                <ConnectionBar counts={group.connections} />
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
              {more ? <td className="figure">{said}</td> : null}
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
