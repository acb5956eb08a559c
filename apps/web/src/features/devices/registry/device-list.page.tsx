import type { ImportReport } from '@isotherm/contracts/batches';
import {
  DEVICE_VIEWS,
  type DeviceRecord,
  exportDevices,
  getBondTemplate,
  getDeviceTemplate,
  importBonds,
  importDevices,
  listDevices,
} from '@isotherm/contracts/device-registry';
import type { ResponseOf } from '@isotherm/contracts/route';
import { ATTENTIONS } from '@isotherm/domain/devices/attention';
import {
  CONNECTION_STATES,
  DEVICE_TYPES,
  SUPPLY_STATES,
  TERM_STATES,
} from '@isotherm/domain/devices/device-state';
import { textId } from '@isotherm/i18n/text-id';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useOrganizations } from '../../../shared/access/organizations.ts';
import { usePermission } from '../../../shared/access/permissions.ts';
import { formatSetting } from '../../../shared/format/duration.ts';
import { EN_RULE, withUnit } from '../../../shared/format/number.ts';
import { Age, useViewer, type Viewer } from '../../../shared/format/viewer.tsx';
import { useText } from '../../../shared/i18n/use-text.ts';
import { useGo } from '../../../shared/tabs/use-go.ts';
import { Button } from '../../../shared/ui/button.tsx';
import { Icon } from '../../../shared/ui/icon.tsx';
import { ListPage } from '../../../shared/ui/list/list-page.tsx';
import { pagesOf } from '../../../shared/ui/list/list-source.ts';
import type { ListColumn, ListFilter, ListView, Selection } from '../../../shared/ui/list/list-types.ts';
import { organizationFilter } from '../../../shared/ui/list/organization-filter.tsx';
import { PermissionButton } from '../../../shared/ui/permission-button.tsx';
import { saveFile } from '../../../shared/ui/save-file.ts';
import { useUrlState } from '../../../shared/ui/use-url-state.ts';
import { useDeviceActions } from './device-actions.tsx';
import { DeviceForm } from './device-form.tsx';
import { Battery, Connection, Term } from './device-words.tsx';
import { DEVICES_KEY, deviceQuery, modelsQuery } from './registry.queries.ts';

const source = pagesOf(listDevices);
const REFRESH_MS = 15_000;

const VIEWS: Readonly<Record<(typeof DEVICE_VIEWS)[number], ListView['query']>> = {
  all: {},
  online: { connection: 'online' },
  offline: { connection: 'offline' },
  'to-renew': { term: 'to-renew' },
  unbound: { bound: 'unbound' },
  deleted: { deleted: 'true' },
};

function columnsFor({ text, time }: Viewer): ListColumn<DeviceRecord>[] {
  const quiet = (value: string) => <span className="secondary">{value}</span>;
  return [
    {
      key: 'number',
      title: text('devices.number'),
      sortable: true,
      pinned: true,
      render: ({ number }) => <span className="number">{number}</span>,
    },
    { key: 'name', title: text('devices.name'), sortable: true, maxWidth: 240, render: ({ name }) => name },
    {
      key: 'connection',
      title: text('devices.connection'),
      render: (device) => <Connection device={device} />,
    },
    {
      key: 'lastSeenAt',
      title: text('devices.last-seen'),
      sortable: true,
      firstOrder: 'desc',
      render: ({ lastSeenAt }) => (lastSeenAt ? <Age since={lastSeenAt} /> : EN_RULE),
    },
    {
      key: 'asset',
      title: text('devices.asset'),
      maxWidth: 220,
      render: ({ asset }) => asset?.name ?? <span className="tag">{text('devices.unbound')}</span>,
    },
    {
      key: 'organization',
      title: text('devices.organization'),
      sortable: true,
      maxWidth: 220,
      render: ({ organizationName }) => quiet(organizationName),
    },
    {
      key: 'model',
      title: text('devices.model'),
      sortable: true,
      maxWidth: 160,
      render: ({ model }) => quiet(model || EN_RULE),
    },
    { key: 'battery', title: text('devices.battery'), render: (device) => <Battery device={device} /> },
    {
      key: 'signal',
      title: text('devices.signal'),
      align: 'end',
      render: ({ signal }) => <bdi dir="ltr">{signal === null ? EN_RULE : withUnit('signal', signal)}</bdi>,
    },
    {
      key: 'expiresOn',
      title: text('devices.expires'),
      sortable: true,
      render: (device) => <Term device={device} />,
    },
    {
      key: 'type',
      title: text('devices.type'),
      offered: true,
      render: ({ type }) => text(`devices.type.${type}`),
    },
    { key: 'serial', title: text('devices.serial'), offered: true, render: ({ serial }) => serial },
    {
      key: 'gateway',
      title: text('devices.gateway'),
      offered: true,
      render: ({ gatewayNumber }) => <span className="number">{gatewayNumber ?? EN_RULE}</span>,
    },
    {
      key: 'eui',
      title: text('devices.eui'),
      offered: true,
      render: ({ devEui }) => <span className="number">{devEui ?? EN_RULE}</span>,
    },
    { key: 'zone', title: text('devices.zone'), offered: true, render: ({ timeZone }) => timeZone },
    {
      key: 'offlineAfter',
      title: text('devices.offline-after'),
      offered: true,
      align: 'end',
      render: ({ offlineAfterMinutes }) => formatSetting(offlineAfterMinutes * 60_000, text),
    },
    {
      key: 'acquisition',
      title: text('devices.acquisition'),
      offered: true,
      align: 'end',
      render: ({ acquisitionIntervalS }) => formatSetting(acquisitionIntervalS * 1000, text),
    },
    {
      key: 'upload',
      title: text('devices.upload'),
      offered: true,
      align: 'end',
      render: ({ uploadIntervalS }) => formatSetting(uploadIntervalS * 1000, text),
    },
    {
      key: 'createdAt',
      title: text('devices.created'),
      sortable: true,
      firstOrder: 'desc',
      offered: true,
      render: ({ createdAt }) => time(createdAt, 'date-time'),
    },
  ];
}

function useFilters(): ListFilter[] {
  const { text } = useText();
  const organizations = useOrganizations();
  const { data: models } = useQuery(modelsQuery);
  return useMemo(() => {
    const words = (key: string, values: readonly string[], area: string): ListFilter => ({
      keys: [key],
      label: text(textId(`devices.${area}`)),
      options: values.map((value) => ({ value, label: text(textId(`devices.${area}.${value}`)) })),
    });
    return [
      organizationFilter(text, organizations),
      words('connection', CONNECTION_STATES, 'connection'),
      {
        keys: ['model'],
        label: text('devices.model'),
        options: (models ?? []).map((model) => ({ value: model, label: model })),
      },
      { ...words('attention', ATTENTIONS, 'attention'), more: true },
      { ...words('term', [...TERM_STATES, 'to-renew'], 'term'), more: true },
      { ...words('bound', ['bound', 'unbound'], 'bound'), more: true },
      { ...words('supply', SUPPLY_STATES, 'supply'), more: true },
      { ...words('type', DEVICE_TYPES, 'type'), more: true },
    ];
  }, [text, organizations, models]);
}

/** Page of the devices of the user's own and subordinate organisations, with their state. */
export default function DeviceList() {
  const viewer = useViewer();
  const { text } = viewer;
  const go = useGo();
  const [params, change] = useUrlState();
  const { act, dialogs } = useDeviceActions();
  const may = {
    edit: usePermission('device-list:edit'),
    bind: usePermission('device-list:bind'),
    move: usePermission('device-list:move'),
    replace: usePermission('device-list:replace'),
    delete: usePermission('device-list:delete'),
    send: usePermission('device-commands:send'),
  };
  const editing = params.get('edit');
  const { data: edited } = useQuery({ ...deviceQuery(editing ?? ''), enabled: editing !== null });
  const columns = useMemo(() => columnsFor(viewer), [viewer]);
  const filters = useFilters();
  const views = useMemo<ListView[]>(
    () => DEVICE_VIEWS.map((key) => ({ key, label: text(`devices.view.${key}`), query: VIEWS[key] })),
    [text],
  );
  const inBin = params.get('deleted') === 'true';

  const bulk = ({ items, clear }: Selection<DeviceRecord>) => {
    const button = (action: Parameters<typeof act>[0]) => (
      <Button onClick={() => act(action, items, clear)}>{text(`devices.${action}`)}</Button>
    );
    if (inBin) return may.delete ? button('restore') : null;
    return (
      <>
        {may.send ? button('command') : null}
        {may.bind ? button('unbind') : null}
        {may.move ? button('move') : null}
        {may.delete ? button('delete') : null}
      </>
    );
  };

  return (
    <>
      <ListPage
        name="device-list"
        title={text('menu.device-list')}
        purpose={text('devices.purpose')}
        source={source}
        queryKey={DEVICES_KEY}
        columns={columns}
        rowKey={({ id }) => id}
        rowName={({ number }) => number}
        searchLabel={text('devices.search')}
        defaultSort={{ sort: 'number', order: 'asc' }}
        filters={filters}
        views={views}
        counts={({ counts }) => counts}
        refreshAfter={() => REFRESH_MS}
        exporting={exportDevices}
        importing={[
          {
            name: 'bonds',
            label: text('devices.bind-import'),
            route: importBonds,
            template: getBondTemplate,
            title: text('devices.bind-import'),
            help: text('devices.bind-import.help'),
          },
          {
            route: importDevices,
            template: getDeviceTemplate,
            title: text('devices.import'),
            help: text('devices.import.help'),
            onReport: saveMadeKeys,
          },
        ]}
        actions={
          <PermissionButton
            permission="device-list:create"
            variant="primary"
            onClick={() => change({ new: 1 }, 'push')}
          >
            <Icon name="plus" />
            {text('devices.create')}
          </PermissionButton>
        }
        onOpen={({ number }) => go(`/device/list/${number}`)}
        rowActions={(device) => {
          const item = (action: Parameters<typeof act>[0], danger = false) => ({
            key: action,
            label: text(`devices.${action}`),
            danger,
            onClick: () => act(action, [device]),
          });
          if (device.deletedAt !== null) return may.delete ? [item('restore')] : [];
          return [
            ...(may.edit
              ? [
                  {
                    key: 'edit',
                    label: text('devices.edit'),
                    onClick: () => change({ edit: device.number }, 'push'),
                  },
                ]
              : []),
            ...(may.bind ? [item(device.asset ? 'unbind' : 'bind')] : []),
            ...(may.replace && device.asset ? [item('replace')] : []),
            ...(may.send ? [item('command')] : []),
            ...(may.move && !device.asset ? [item('move')] : []),
            ...(may.delete ? [item('delete', true)] : []),
          ];
        }}
        bulk={bulk}
        empty={{ title: text('devices.empty.title'), reason: text('devices.empty.reason') }}
      />
      {params.get('new') ? (
        <DeviceForm
          organizationId={Number(params.get('organizationId')) || undefined}
          onClose={() => change({ new: null })}
        />
      ) : null}
      {edited && edited.number === editing ? (
        <DeviceForm device={edited} onClose={() => change({ edit: null })} />
      ) : null}
      {dialogs}
    </>
  );
}

/** Downloads the new keys immediately, because they are shown only once. */
function saveMadeKeys(report: ImportReport): void {
  const { keys } = report as ResponseOf<typeof importDevices>;
  if (keys) saveFile(keys.fileName, keys.content);
}
