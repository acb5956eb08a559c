import './stats.css';
import { type DeviceStats, STATS_DAYS } from '@isotherm/contracts/device-stats';
import { ATTENTIONS } from '@isotherm/domain/devices/attention';
import { CONNECTION_STATES, DEVICE_TYPES, TERM_STATES } from '@isotherm/domain/devices/device-state';
import { useQuery } from '@tanstack/react-query';
import Segmented from 'antd/es/segmented';
import { useOrganizations } from '../../../shared/access/organizations.ts';
import { integer } from '../../../shared/format/number.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { FailureNotice, Notice } from '../../../shared/ui/notice.tsx';
import { PageHead } from '../../../shared/ui/page-head.tsx';
import { TreeSelect } from '../../../shared/ui/tree/tree-select.tsx';
import { useUrlState } from '../../../shared/ui/use-url-state.ts';
import { Completeness, WorstDevices } from './completeness-panel.tsx';
import { FaultsPanel } from './faults-panel.tsx';
import { FirstPanel } from './first-panel.tsx';
import { GroupTables } from './group-tables.tsx';
import { LevelsPanel } from './levels-panel.tsx';
import { EndingBatteries, WeakSignals } from './outlook-panels.tsx';
import { statsQuery } from './stats.queries.ts';
import { Count, listOf } from './stats-words.tsx';

/** Page with the device statistics. Each number links to the devices that it counts. */
export default function DeviceStatsPage() {
  const { text } = useViewer();
  const organizations = useOrganizations();
  const [params, change] = useUrlState();
  const organizationId = Number(params.get('organizationId')) || undefined;
  const days = STATS_DAYS.find((each) => String(each) === params.get('days')) ?? 7;
  const { data, error, refetch, isPlaceholderData } = useQuery(statsQuery(organizationId, days));
  return (
    <div className="page">
      <PageHead title={text('menu.device-stats')} purpose={text('stats.purpose')}>
        <TreeSelect
          className="list-tree"
          aria-label={text('users.organization')}
          nodes={organizations.nodes}
          loading={organizations.loading}
          clearable
          placeholder={text('stats.all-organizations')}
          value={organizationId}
          onChange={(id) => change({ organizationId: id ?? null })}
        />
        <Segmented
          aria-label={text('stats.period')}
          value={days}
          options={STATS_DAYS.map((count) => ({ value: count, label: text('stats.days', { count }) }))}
          onChange={(value) => change({ days: value })}
        />
      </PageHead>
      {error && !data ? <FailureNotice error={error} retry={() => void refetch()} /> : null}
      {data ? (
        <div className={isPlaceholderData ? 'stats stats-waiting' : 'stats'} aria-busy={isPlaceholderData}>
          <Loaded stats={data} organizationId={organizationId} />
        </div>
      ) : null}
      {!data && !error ? <div className="panel skeleton skeleton-body" /> : null}
    </div>
  );
}

function Loaded({ stats, organizationId }: { stats: DeviceStats; organizationId: number | undefined }) {
  const { text } = useViewer();
  if (stats.total === 0)
    return (
      <section className="panel stats-wide">
        <Notice icon="devices" title={text('devices.empty.title')}>
          {text('stats.empty')}
        </Notice>
      </section>
    );
  return (
    <>
      <FirstPanel stats={stats} organizationId={organizationId} />
      <Completeness completeness={stats.completeness} />
      <FaultsPanel days={stats.completeness.days} />
      <LevelsPanel stats={stats} organizationId={organizationId} />
      <States stats={stats} organizationId={organizationId} />
      <WorstDevices worst={stats.completeness.worst} />
      <EndingBatteries batteries={stats.batteries} />
      <WeakSignals signals={stats.signals} />
      <GroupTables stats={stats} organizationId={organizationId} />
    </>
  );
}

function States({ stats, organizationId }: { stats: DeviceStats; organizationId: number | undefined }) {
  const { text, language } = useViewer();
  const to = (filter: Record<string, string>) => listOf({ ...filter, organizationId });
  const unbound = stats.total - stats.bound;
  return (
    <section className="panel stats-panel" aria-label={text('stats.states')}>
      <div className="stats-total">
        <strong>{integer(language, stats.total)}</strong> {text('stats.total', { count: stats.total })}
      </div>
      <Facts
        title={text('devices.connection')}
        facts={CONNECTION_STATES.map((connection) => ({
          key: connection,
          label: text(`devices.connection.${connection}`),
          value: stats.connections[connection],
          to: to({ connection }),
        }))}
      />
      <Facts
        title={text('devices.attention')}
        facts={ATTENTIONS.map((attention) => ({
          key: attention,
          label: text(`devices.attention.${attention}`),
          value: stats.attention[attention],
          to: to({ attention }),
        }))}
      />
      <Facts
        title={text('devices.term')}
        facts={TERM_STATES.map((term) => ({
          key: term,
          label: text(`devices.term.${term}`),
          value: stats.terms[term],
          to: to({ term }),
        }))}
      />
      <Facts
        title={text('devices.bound')}
        facts={[
          {
            key: 'bound',
            label: text('devices.bound.bound'),
            value: stats.bound,
            to: to({ bound: 'bound' }),
          },
          {
            key: 'unbound',
            label: text('devices.bound.unbound'),
            value: unbound,
            to: to({ bound: 'unbound' }),
          },
        ]}
      />
      <Facts
        title={text('devices.type')}
        facts={DEVICE_TYPES.map((type) => ({
          key: type,
          label: text(`devices.type.${type}`),
          value: stats.types[type],
          to: to({ type }),
        }))}
      />
    </section>
  );
}

function Facts({
  title,
  facts,
}: {
  title: string;
  facts: readonly { key: string; label: string; value: number; to: string }[];
}) {
  return (
    <div className="stats-facts">
      <h2 className="small secondary">{title}</h2>
      <ul>
        {facts.map(({ key, label, value, to }) => (
          <li key={key}>
            <span>{label}</span> <Count value={value} to={to} label={label} />
          </li>
        ))}
      </ul>
    </div>
  );
}
