import { listPayloadMappings, type PayloadMapping } from '@isotherm/contracts/payload-mappings';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { usePagePermission } from '../../../shared/access/permissions.ts';
import { useViewer, type Viewer } from '../../../shared/format/viewer.tsx';
import { ConfirmWithReason } from '../../../shared/ui/confirm-dialog.tsx';
import { Icon } from '../../../shared/ui/icon.tsx';
import { ListPage } from '../../../shared/ui/list/list-page.tsx';
import { pagesOf } from '../../../shared/ui/list/list-source.ts';
import type { ListColumn } from '../../../shared/ui/list/list-types.ts';
import { PermissionButton } from '../../../shared/ui/permission-button.tsx';
import { toast } from '../../../shared/ui/toast.tsx';
import { useUrlState } from '../../../shared/ui/use-url-state.ts';
import { ConnectDrawer } from './connect-drawer.tsx';
import { MappingForm } from './mapping-form.tsx';
import { MappingView } from './mapping-view.tsx';
import { MAPPINGS_KEY, mappingQuery, useMappingChanges } from './mappings.queries.ts';

const EDIT = 'device-mappings:edit';
const source = pagesOf(listPayloadMappings);
/** So many entries tell which mapping it is. */
const SHOWN_ENTRIES = 3;

function columnsFor({ text, time }: Viewer): ListColumn<PayloadMapping>[] {
  return [
    {
      key: 'deviceModel',
      title: text('mappings.model'),
      sortable: true,
      pinned: true,
      maxWidth: 240,
      render: (each) => each.deviceModel || text('mappings.model.every'),
    },
    {
      key: 'organizationName',
      title: text('mappings.organization'),
      sortable: true,
      maxWidth: 240,
      render: (each) => <span className="secondary">{each.organizationName}</span>,
    },
    {
      key: 'entries',
      title: text('mappings.entries'),
      maxWidth: 480,
      render: ({ entries }) => {
        const rest = entries.length - SHOWN_ENTRIES;
        return (
          <span title={entries.map(({ path, channel }) => `${path} → ${channel}`).join('\n')}>
            {entries.slice(0, SHOWN_ENTRIES).map(({ path, channel }, at) => (
              <span key={channel}>
                {at > 0 ? <span className="tertiary"> · </span> : null}
                <code>{path}</code> <span className="tertiary">→</span> {channel}
              </span>
            ))}
            {rest > 0 ? (
              <span className="tertiary"> {text('mappings.more-entries', { count: rest })}</span>
            ) : null}
          </span>
        );
      },
    },
    { key: 'devices', title: text('mappings.devices'), align: 'end', render: (each) => each.devices },
    {
      key: 'changedAt',
      title: text('mappings.changed'),
      sortable: true,
      firstOrder: 'desc',
      render: (each) => (
        <span className="secondary">{`${time(each.changedAt, 'date-time')} · ${each.changedBy}`}</span>
      ),
    },
  ];
}

/** Payload mappings: which name in what hardware of others sends is which channel. */
export function MappingList() {
  const viewer = useViewer();
  const { text } = viewer;
  const [params, change] = useUrlState();
  const changes = useMappingChanges();
  const editing = usePagePermission(EDIT);
  const [doomed, setDoomed] = useState<PayloadMapping | null>(null);
  const columns = useMemo(() => columnsFor(viewer), [viewer]);
  const open = Number(params.get('mapping')) || null;
  const { data: mapping } = useQuery({ ...mappingQuery(open ?? 0), enabled: open !== null });
  const shown = mapping?.id === open ? mapping : undefined;
  const nameOf = (each: PayloadMapping) => each.deviceModel || text('mappings.model.every');
  const close = () => change({ new: null, mapping: null, connect: null });
  const addButton = (
    <PermissionButton
      permission={EDIT}
      className="button button-primary"
      onClick={() => change({ new: 1 }, 'push')}
    >
      <Icon name="plus" />
      {text('mappings.create')}
    </PermissionButton>
  );
  return (
    <>
      <ListPage
        name="device-mappings"
        title={text('menu.device-mappings')}
        purpose={text('mappings.purpose')}
        source={source}
        queryKey={MAPPINGS_KEY}
        columns={columns}
        rowKey={(each) => each.id}
        rowName={nameOf}
        searchLabel={text('mappings.search')}
        defaultSort={{ sort: 'deviceModel', order: 'asc' }}
        onOpen={(each) => change({ mapping: each.id }, 'push')}
        actions={
          <>
            <button type="button" className="button" onClick={() => change({ connect: 1 }, 'push')}>
              <Icon name="info" />
              {text('mappings.connect')}
            </button>
            {addButton}
          </>
        }
        rowActions={(each) =>
          editing === 'held'
            ? [
                {
                  key: 'edit',
                  label: text('mappings.edit'),
                  onClick: () => change({ mapping: each.id }, 'push'),
                },
                {
                  key: 'delete',
                  danger: true,
                  label: text('mappings.delete'),
                  onClick: () => setDoomed(each),
                },
              ]
            : []
        }
        empty={{
          title: text('mappings.empty.title'),
          reason: text('mappings.empty.reason'),
          action: addButton,
        }}
      />
      {params.get('new') && editing === 'held' ? <MappingForm onClose={close} /> : null}
      {shown && editing === 'held' ? <MappingForm key={shown.id} mapping={shown} onClose={close} /> : null}
      {shown && editing === 'denied' ? <MappingView mapping={shown} onClose={close} /> : null}
      {params.get('connect') ? <ConnectDrawer onClose={close} /> : null}
      {doomed ? (
        <ConfirmWithReason
          weight="reason"
          grave
          title={text('mappings.delete.title', { name: nameOf(doomed) })}
          confirmLabel={text('mappings.delete')}
          onConfirm={async (reason) => {
            await changes.remove(doomed.id, reason);
            toast('success', text('mappings.delete.done', { name: nameOf(doomed) }));
          }}
          onClose={() => setDoomed(null)}
        >
          {text('mappings.delete.means', { count: doomed.devices })}
        </ConfirmWithReason>
      ) : null}
    </>
  );
}
