import {
  exportWaybillClients,
  getWaybillClientTemplate,
  importWaybillClients,
  listWaybillClients,
  type WaybillClient,
} from '@isotherm/contracts/waybill-clients';
import { useMemo } from 'react';
import { useOrganizations } from '../../../shared/access/organizations.ts';
import { useViewer, type Viewer } from '../../../shared/format/viewer.tsx';
import { pagesOf } from '../../../shared/ui/list/list-source.ts';
import type { ListColumn, ListFilter } from '../../../shared/ui/list/list-types.ts';
import { organizationFilter } from '../../../shared/ui/list/organization-filter.tsx';
import { RecordList } from '../../../shared/ui/list/record-list.tsx';
import { ClientDrawer, contactWords, siteWords } from './client-drawer.tsx';
import { ClientForm } from './client-form.tsx';
import { CLIENTS_KEY, loadClient, useClientChanges } from './clients.queries.ts';

const source = pagesOf(listWaybillClients);

function columnsFor({ text, time }: Viewer): ListColumn<WaybillClient>[] {
  return [
    {
      key: 'name',
      title: text('clients.name'),
      sortable: true,
      pinned: true,
      maxWidth: 280,
      render: ({ name }) => name,
    },
    { key: 'kind', title: text('clients.kind'), render: ({ kind }) => text(`clients.kind.${kind}`) },
    {
      key: 'sites',
      title: text('clients.sites'),
      maxWidth: 320,
      render: (client) => siteWords(client).join('; '),
    },
    {
      key: 'contacts',
      title: text('clients.contacts'),
      maxWidth: 320,
      render: (client) => contactWords(client).join('; '),
    },
    {
      key: 'waybills',
      title: text('clients.waybills'),
      render: ({ waybills }) => <span className="number">{waybills}</span>,
    },
    {
      key: 'organization',
      title: text('clients.organization'),
      sortable: true,
      maxWidth: 220,
      render: ({ organizationName }) => <span className="secondary">{organizationName}</span>,
    },
    {
      key: 'changedAt',
      title: text('clients.changed'),
      sortable: true,
      firstOrder: 'desc',
      offered: true,
      render: ({ changedAt, changedBy }) => (
        <span className="secondary">{`${time(changedAt, 'date-time')} · ${changedBy}`}</span>
      ),
    },
  ];
}

/** The book of consignors and consignees. */
export default function ClientList() {
  const viewer = useViewer();
  const { text } = viewer;
  const organizations = useOrganizations();
  const changes = useClientChanges();
  const columns = useMemo(() => columnsFor(viewer), [viewer]);
  const filters = useMemo<ListFilter[]>(
    () => [
      organizationFilter(text, organizations),
      {
        keys: ['kind'],
        label: text('clients.kind'),
        options: (['consignor', 'consignee'] as const).map((value) => ({
          value,
          label: text(`clients.kind.${value}`),
        })),
      },
    ],
    [text, organizations],
  );
  return (
    <RecordList
      name="waybill-clients"
      title={text('menu.waybill-clients')}
      purpose={text('clients.purpose')}
      permission="waybill-clients:edit"
      param="client"
      source={source}
      queryKey={CLIENTS_KEY}
      load={loadClient}
      columns={columns}
      filters={filters}
      nameOf={({ name }) => name}
      searchLabel={text('clients.search')}
      defaultSort={{ sort: 'name', order: 'asc' }}
      exporting={exportWaybillClients}
      importing={[
        {
          route: importWaybillClients,
          template: getWaybillClientTemplate,
          title: text('clients.import.title'),
          help: text('clients.import.help'),
        },
      ]}
      words={{ create: text('clients.create'), edit: text('clients.edit'), remove: text('clients.delete') }}
      empty={{ title: text('clients.empty'), reason: text('clients.empty-reason') }}
      isFixed={({ editable }) => !editable}
      form={(client, close) => <ClientForm client={client} onClose={close} />}
      view={(client, close, edit) => <ClientDrawer client={client} onEdit={edit} onClose={close} />}
      viewFirst
      removal={{
        title: (name) => text('clients.delete.title', { name }),
        means: ({ waybills }) => text('clients.delete.means', { count: waybills }),
        done: (name) => text('clients.deleted', { name }),
        run: ({ id }, reason) => changes.remove(id, reason),
      }}
    />
  );
}
