import {
  type Firmware,
  type FirmwareKey,
  listFirmware,
  listFirmwareKeys,
  listRollouts,
  type Rollout,
} from '@isotherm/contracts/firmware';
import { compareVersions } from '@isotherm/domain/devices/firmware-version';
import { ROLLOUT_STATES } from '@isotherm/domain/devices/rollout';
import { useMemo, useState } from 'react';
import { usePermission } from '../../../shared/access/permissions.ts';
import { integer } from '../../../shared/format/number.ts';
import { useViewer, type Viewer } from '../../../shared/format/viewer.tsx';
import { useGo } from '../../../shared/tabs/use-go.ts';
import { ConfirmWithReason } from '../../../shared/ui/confirm-dialog.tsx';
import { ListPage } from '../../../shared/ui/list/list-page.tsx';
import { pagesOf, rowsOf } from '../../../shared/ui/list/list-source.ts';
import type { ListColumn } from '../../../shared/ui/list/list-types.ts';
import { toast } from '../../../shared/ui/toast.tsx';
import { useUrlState } from '../../../shared/ui/use-url-state.ts';
import {
  FIRMWARE_KEY,
  isLive,
  KEYS_KEY,
  REFRESH_MS,
  ROLLOUTS_KEY,
  useUpgradeChanges,
} from './upgrade.queries.ts';
import { devicesOf, RolloutTag, StateBar, sumOf } from './upgrade-words.tsx';

const ACCESS = 'device-upgrade:view';
const KIB = 1024;
const has = (search: string, ...words: readonly string[]) => words.join(' ').toLowerCase().includes(search);

const firmwareSource = rowsOf<Firmware>(listFirmware, {
  access: ACCESS,
  matches: ({ model, version, notes }, search) => has(search, model, version, notes),
  compare: {
    model: (a, b) => a.model.localeCompare(b.model) || compareVersions(b.version, a.version),
    version: (a, b) => compareVersions(a.version, b.version),
    running: (a, b) => a.running - b.running,
    uploadedAt: (a, b) => (a.uploadedAt < b.uploadedAt ? -1 : 1),
  },
});

function firmwareColumns({ text, time, language }: Viewer): ListColumn<Firmware>[] {
  return [
    {
      key: 'model',
      title: text('upgrade.model'),
      sortable: true,
      pinned: true,
      maxWidth: 260,
      render: ({ model }) => model,
    },
    {
      key: 'version',
      title: text('upgrade.version'),
      sortable: true,
      firstOrder: 'desc',
      render: ({ version, withdrawnAt }) => (
        <span className="row">
          <span className="number">{version}</span>
          {withdrawnAt ? <span className="tag">{text('upgrade.withdrawn')}</span> : null}
        </span>
      ),
    },
    {
      key: 'running',
      title: text('upgrade.running'),
      sortable: true,
      align: 'end',
      render: ({ running }) => integer(language, running),
    },
    {
      key: 'organization',
      title: text('upgrade.organization'),
      maxWidth: 220,
      render: ({ organizationName }) => <span className="secondary">{organizationName}</span>,
    },
    {
      key: 'size',
      title: text('upgrade.size'),
      align: 'end',
      render: ({ sizeBytes }) =>
        text('upgrade.bytes', { kib: integer(language, Math.ceil(sizeBytes / KIB)) }),
    },
    { key: 'key', title: text('upgrade.key'), maxWidth: 180, render: ({ keyName }) => keyName },
    {
      key: 'uploadedAt',
      title: text('upgrade.uploaded'),
      sortable: true,
      firstOrder: 'desc',
      render: ({ uploadedAt }) => <span className="number">{time(uploadedAt, 'date-time')}</span>,
    },
    {
      key: 'by',
      title: text('upgrade.by'),
      maxWidth: 160,
      render: ({ uploadedBy }) => <span className="secondary">{uploadedBy}</span>,
    },
    { key: 'notes', title: text('upgrade.notes'), maxWidth: 320, render: ({ notes }) => notes },
    {
      key: 'checksum',
      title: text('upgrade.checksum'),
      offered: true,
      maxWidth: 320,
      render: ({ checksum }) => <bdi dir="ltr">{checksum}</bdi>,
    },
  ];
}

/** List of the firmware by model, the newest version first. */
export function FirmwareList() {
  const viewer = useViewer();
  const { text } = viewer;
  const [, change] = useUrlState();
  const changes = useUpgradeChanges();
  const mayEdit = usePermission('device-upgrade:edit');
  const maySend = usePermission('device-upgrade:send');
  const [doomed, setDoomed] = useState<Firmware | null>(null);
  const columns = useMemo(() => firmwareColumns(viewer), [viewer]);
  return (
    <>
      <ListPage
        embedded
        name="device-firmware"
        title={text('upgrade.tab.firmware')}
        purpose={text('upgrade.purpose')}
        source={firmwareSource}
        queryKey={FIRMWARE_KEY}
        columns={columns}
        rowKey={({ id }) => id}
        rowName={({ model, version }) => `${model} ${version}`}
        searchLabel={text('upgrade.search')}
        defaultSort={{ sort: 'model', order: 'asc' }}
        onOpen={({ id, withdrawnAt }) => maySend && !withdrawnAt && change({ begin: id }, 'push')}
        rowActions={(firmware) =>
          firmware.withdrawnAt
            ? []
            : [
                ...(maySend
                  ? [
                      {
                        key: 'begin',
                        label: text('upgrade.rollout.begin'),
                        onClick: () => change({ begin: firmware.id }, 'push'),
                      },
                    ]
                  : []),
                ...(mayEdit
                  ? [
                      {
                        key: 'withdraw',
                        label: text('upgrade.withdraw'),
                        danger: true,
                        onClick: () => setDoomed(firmware),
                      },
                    ]
                  : []),
              ]
        }
        empty={{ title: text('upgrade.empty.title'), reason: text('upgrade.empty.reason') }}
      />
      {doomed ? (
        <ConfirmWithReason
          weight="reason"
          grave
          title={text('upgrade.withdraw.title', { name: `${doomed.model} ${doomed.version}` })}
          confirmLabel={text('upgrade.withdraw')}
          onConfirm={async (reason) => {
            await changes.withdraw(doomed.id, reason);
            toast('success', text('upgrade.withdraw.done'));
          }}
          onClose={() => setDoomed(null)}
        >
          {text('upgrade.withdraw.means')}
        </ConfirmWithReason>
      ) : null}
    </>
  );
}

const keySource = rowsOf<FirmwareKey>(listFirmwareKeys, {
  access: ACCESS,
  matches: ({ name, organizationName }, search) => has(search, name, organizationName),
  compare: {
    name: (a, b) => a.name.localeCompare(b.name),
    addedAt: (a, b) => (a.addedAt < b.addedAt ? -1 : 1),
  },
});

/** List of the keys by which firmware signatures are verified. */
export function KeyList() {
  const viewer = useViewer();
  const { text, time } = viewer;
  const changes = useUpgradeChanges();
  const mayEnd = usePermission('device-upgrade:keys');
  const [doomed, setDoomed] = useState<FirmwareKey | null>(null);
  const columns = useMemo<ListColumn<FirmwareKey>[]>(
    () => [
      {
        key: 'name',
        title: text('upgrade.key.name'),
        sortable: true,
        pinned: true,
        maxWidth: 240,
        render: ({ name, endedAt }) => (
          <span className="row">
            {name}
            {endedAt ? <span className="tag">{text('upgrade.key.ended')}</span> : null}
          </span>
        ),
      },
      {
        key: 'public',
        title: text('upgrade.key.public'),
        maxWidth: 420,
        render: ({ publicKey }) => <bdi dir="ltr">{publicKey}</bdi>,
      },
      {
        key: 'organization',
        title: text('upgrade.organization'),
        maxWidth: 240,
        render: ({ organizationName }) => <span className="secondary">{organizationName}</span>,
      },
      {
        key: 'addedAt',
        title: text('upgrade.key.added'),
        sortable: true,
        render: ({ addedAt }) => <span className="number">{time(addedAt, 'date-time')}</span>,
      },
      {
        key: 'by',
        title: text('upgrade.by'),
        maxWidth: 180,
        render: ({ addedBy }) => <span className="secondary">{addedBy}</span>,
      },
    ],
    [text, time],
  );
  return (
    <>
      <ListPage
        embedded
        name="device-firmware-keys"
        title={text('upgrade.tab.keys')}
        purpose={text('upgrade.purpose')}
        source={keySource}
        queryKey={KEYS_KEY}
        columns={columns}
        rowKey={({ id }) => id}
        rowName={({ name }) => name}
        searchLabel={text('upgrade.key.search')}
        defaultSort={{ sort: 'name', order: 'asc' }}
        rowActions={(key) =>
          mayEnd && key.endedAt === null
            ? [
                {
                  key: 'end',
                  label: text('upgrade.key.end'),
                  danger: true,
                  onClick: () => setDoomed(key),
                },
              ]
            : []
        }
        empty={{ title: text('upgrade.key.empty.title'), reason: text('upgrade.key.empty.reason') }}
      />
      {doomed ? (
        <ConfirmWithReason
          weight="reason"
          grave
          title={text('upgrade.key.end.title', { name: doomed.name })}
          confirmLabel={text('upgrade.key.end')}
          onConfirm={(reason) => changes.endKey(doomed.id, reason)}
          onClose={() => setDoomed(null)}
        >
          {text('upgrade.key.end.means')}
        </ConfirmWithReason>
      ) : null}
    </>
  );
}

const rolloutSource = pagesOf(listRollouts);

function rolloutColumns({ text, time }: Viewer): ListColumn<Rollout>[] {
  return [
    {
      key: 'what',
      title: text('upgrade.model'),
      pinned: true,
      maxWidth: 280,
      render: ({ model, version }) => (
        <>
          {model} <strong className="number">{version}</strong>
        </>
      ),
    },
    {
      key: 'state',
      title: text('upgrade.rollout.state'),
      render: ({ state }) => <RolloutTag state={state} />,
    },
    {
      key: 'progress',
      title: text('upgrade.rollout.progress'),
      render: ({ waves, wave }) => (
        <span className="rollout-progress">
          <StateBar counts={sumOf(waves)} />
          <span className="small secondary number">
            {text('upgrade.rollout.progress.of', {
              done: sumOf(waves).done,
              total: devicesOf(waves),
              wave,
              waves: waves.length,
            })}
          </span>
        </span>
      ),
    },
    {
      key: 'createdAt',
      title: text('upgrade.rollout.created'),
      render: ({ createdAt }) => <span className="number">{time(createdAt, 'date-time')}</span>,
    },
    { key: 'by', title: text('upgrade.by'), maxWidth: 160, render: ({ createdBy }) => createdBy },
    {
      key: 'organization',
      title: text('upgrade.organization'),
      maxWidth: 200,
      render: ({ organizationName }) => <span className="secondary">{organizationName}</span>,
    },
    { key: 'note', title: text('upgrade.rollout.note'), maxWidth: 280, render: ({ note }) => note },
  ];
}

/** List of the roll-outs, the newest first. */
export function RolloutList() {
  const viewer = useViewer();
  const { text } = viewer;
  const go = useGo();
  const columns = useMemo(() => rolloutColumns(viewer), [viewer]);
  return (
    <ListPage
      embedded
      name="device-rollouts"
      title={text('upgrade.tab.rollouts')}
      purpose={text('upgrade.purpose')}
      source={rolloutSource}
      queryKey={ROLLOUTS_KEY}
      columns={columns}
      rowKey={({ id }) => id}
      rowName={({ model, version }) => `${model} ${version}`}
      searchLabel={text('upgrade.rollout.find')}
      defaultSort={{ sort: 'createdAt', order: 'desc' }}
      filters={[
        {
          keys: ['state'],
          label: text('upgrade.rollout.state'),
          options: ROLLOUT_STATES.map((state) => ({
            value: state,
            label: text(`upgrade.rollout.state.${state}`),
          })),
        },
      ]}
      refreshAfter={({ items }) => items.some(isLive) && REFRESH_MS}
      onOpen={({ id }) => go(`/device/upgrade/${id}`)}
      empty={{ title: text('upgrade.rollout.empty.title'), reason: text('upgrade.rollout.empty.reason') }}
    />
  );
}
