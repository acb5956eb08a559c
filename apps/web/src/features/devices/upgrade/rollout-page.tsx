import './upgrade.css';
import { listUpgrades, type Rollout, type UpgradeRecord } from '@isotherm/contracts/firmware';
import { mayDo, ROLLOUT_DEEDS, type RolloutDeed, UPGRADE_STATES } from '@isotherm/domain/devices/rollout';
import { useMemo, useState } from 'react';
import { call } from '../../../shared/api/client.ts';
import { EN_RULE } from '../../../shared/format/number.ts';
import { Age, useViewer } from '../../../shared/format/viewer.tsx';
import { useGo } from '../../../shared/tabs/use-go.ts';
import { ConfirmWithReason } from '../../../shared/ui/confirm-dialog.tsx';
import { DetailPage } from '../../../shared/ui/detail-page.tsx';
import { ListPage } from '../../../shared/ui/list/list-page.tsx';
import type { ListColumn, ListSource } from '../../../shared/ui/list/list-types.ts';
import { PermissionButton } from '../../../shared/ui/permission-button.tsx';
import { toast } from '../../../shared/ui/toast.tsx';
import { isLive, REFRESH_MS, ROLLOUTS_KEY, useUpgradeChanges } from './upgrade.queries.ts';
import { RolloutTag, StateBar, StateCounts, UpgradeTag } from './upgrade-words.tsx';

const PERCENT = 100;
const DAY_S = 86_400;

/** Page of one roll-out, with its waves and the progress of each device. */
export function RolloutPage({ rollout }: { rollout: Rollout }) {
  const { text, time } = useViewer();
  const changes = useUpgradeChanges();
  const [cancels, setCancels] = useState(false);
  const deeds = ROLLOUT_DEEDS.filter((deed) => mayDo(deed, rollout.state));

  async function act(deed: RolloutDeed): Promise<void> {
    if (deed === 'cancel') return setCancels(true);
    try {
      await changes.change(rollout.id, deed);
      toast('success', text('upgrade.rollout.changed'));
    } catch (error) {
      toast('failure', (error as Error).message);
    }
  }

  return (
    <>
      <DetailPage
        title={`${rollout.model} ${rollout.version}`}
        back={{ to: '/device/upgrade?tab=rollouts', label: text('upgrade.tab.rollouts') }}
        tags={<RolloutTag state={rollout.state} />}
        facts={[
          { label: text('upgrade.rollout.created'), value: time(rollout.createdAt, 'date-time') },
          { label: text('upgrade.by'), value: rollout.createdBy },
          { label: text('upgrade.organization'), value: rollout.organizationName },
          {
            label: text('upgrade.rollout.success'),
            value: `${Math.round(rollout.successShare * PERCENT)} %`,
          },
          {
            label: text('upgrade.rollout.failure'),
            value: `${Math.round(rollout.failureShare * PERCENT)} %`,
          },
          {
            label: text('upgrade.rollout.waits'),
            value: text('stats.days', { count: Math.round(rollout.offerWithinS / DAY_S) }),
          },
          { label: text('upgrade.rollout.note'), value: rollout.note || EN_RULE },
        ]}
        actions={deeds.map((deed) => (
          <PermissionButton
            key={deed}
            permission="device-upgrade:send"
            variant={deed === 'proceed' || deed === 'resume' ? 'primary' : 'secondary'}
            onClick={() => void act(deed)}
          >
            {text(`upgrade.rollout.${deed}`)}
          </PermissionButton>
        ))}
        tabs={[
          {
            key: 'devices',
            label: text('upgrade.devices'),
            content: () => (
              <>
                <Waves rollout={rollout} />
                <Devices rollout={rollout} />
              </>
            ),
          },
        ]}
      />
      {cancels ? (
        <ConfirmWithReason
          weight="reason"
          grave
          title={text('upgrade.rollout.cancel.title')}
          confirmLabel={text('upgrade.rollout.cancel')}
          onConfirm={(reason) => changes.change(rollout.id, 'cancel', reason)}
          onClose={() => setCancels(false)}
        >
          {text('upgrade.rollout.cancel.means')}
        </ConfirmWithReason>
      ) : null}
    </>
  );
}

/** The waves next to each other, with size and state. */
function Waves({ rollout }: { rollout: Rollout }) {
  const { text } = useViewer();
  return (
    <ol className="waves">
      {rollout.waves.map(({ devices, states }, at) => (
        <li
          // biome-ignore lint/suspicious/noArrayIndexKey: a wave is its number, and waves never change places.
          key={at}
          className={at + 1 > rollout.wave ? 'panel wave wave-ahead' : 'panel wave'}
          aria-current={at + 1 === rollout.wave ? 'step' : undefined}
        >
          <h2>{text('upgrade.wave', { wave: at + 1 })}</h2>
          <p className="small secondary">
            {text('upgrade.wave.devices', { count: devices })}
            {at + 1 > rollout.wave ? ` · ${text('upgrade.wave.waits')}` : ''}
          </p>
          <StateBar counts={states} />
          <StateCounts counts={states} />
        </li>
      ))}
    </ol>
  );
}

function Devices({ rollout }: { rollout: Rollout }) {
  const { text } = useViewer();
  const go = useGo();
  const source = useMemo<ListSource<UpgradeRecord>>(
    () => ({
      access: listUpgrades.access,
      query: listUpgrades.query,
      load: (query, signal) => call(listUpgrades, { params: { id: rollout.id }, query, signal, quiet: true }),
    }),
    [rollout.id],
  );
  const columns = useMemo<ListColumn<UpgradeRecord>[]>(
    () => [
      {
        key: 'number',
        title: text('devices.number'),
        pinned: true,
        render: ({ number, name }) => (
          <>
            <span className="number">{number}</span> <span className="secondary">{name}</span>
          </>
        ),
      },
      {
        key: 'wave',
        title: text('upgrade.wave.short'),
        align: 'end',
        render: ({ wave }) => wave,
      },
      {
        key: 'state',
        title: text('upgrade.rollout.state'),
        render: (upgrade) => <UpgradeTag upgrade={upgrade} />,
      },
      {
        key: 'from',
        title: text('upgrade.from'),
        render: ({ fromVersion }) => <span className="number">{fromVersion ?? EN_RULE}</span>,
      },
      {
        key: 'since',
        title: text('upgrade.since'),
        render: ({ since }) => <Age since={since} />,
      },
      {
        key: 'organization',
        title: text('upgrade.organization'),
        maxWidth: 240,
        render: ({ organizationName }) => <span className="secondary">{organizationName}</span>,
      },
    ],
    [text],
  );
  return (
    <ListPage
      embedded
      name="device-rollout"
      title={text('upgrade.devices')}
      purpose={text('upgrade.purpose')}
      source={source}
      queryKey={[...ROLLOUTS_KEY, 'devices', rollout.id]}
      columns={columns}
      rowKey={({ number }) => number}
      rowName={({ number }) => number}
      searchLabel={text('upgrade.devices.search')}
      defaultSort={{ sort: 'wave', order: 'asc' }}
      filters={[
        {
          keys: ['state'],
          label: text('upgrade.rollout.state'),
          options: UPGRADE_STATES.map((state) => ({
            value: state,
            label: text(`upgrade.state.${state}`),
          })),
        },
        {
          keys: ['wave'],
          label: text('upgrade.wave.short'),
          options: rollout.waves.map((_, at) => ({
            value: String(at + 1),
            label: text('upgrade.wave', { wave: at + 1 }),
          })),
        },
      ]}
      refreshAfter={() => isLive(rollout) && REFRESH_MS}
      onOpen={({ number }) => go(`/device/list/${number}`)}
      empty={{ title: text('upgrade.devices.empty'), reason: text('upgrade.purpose') }}
    />
  );
}
