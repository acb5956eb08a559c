import {
  DECISIONS,
  exportWaybills,
  getWaybillTemplate,
  importWaybills,
  listWaybills,
  type Waybill,
} from '@isotherm/contracts/waybills';
import { WAYBILL_STATES } from '@isotherm/domain/waybills/waybill';
import { useMemo, useState } from 'react';
import { useOrganizations } from '../../../shared/access/organizations.ts';
import { usePermission } from '../../../shared/access/permissions.ts';
import { EN_RULE, zoneWords } from '../../../shared/format/number.ts';
import { useViewer, type Viewer } from '../../../shared/format/viewer.tsx';
import { useGo } from '../../../shared/tabs/use-go.ts';
import { ConfirmWithReason } from '../../../shared/ui/confirm-dialog.tsx';
import { Icon } from '../../../shared/ui/icon.tsx';
import { ListPage } from '../../../shared/ui/list/list-page.tsx';
import { pagesOf } from '../../../shared/ui/list/list-source.ts';
import type { ListColumn, ListFilter } from '../../../shared/ui/list/list-types.ts';
import { organizationFilter } from '../../../shared/ui/list/organization-filter.tsx';
import { PermissionButton } from '../../../shared/ui/permission-button.tsx';
import { toast } from '../../../shared/ui/toast.tsx';
import { useUrlState } from '../../../shared/ui/use-url-state.ts';
import { ExpectedCell } from './expected-cell.tsx';
import { WaybillForm } from './waybill-form.tsx';
import { goodsWords, WaybillTags } from './waybill-words.tsx';
import { useWaybillChanges, WAYBILLS_KEY } from './waybills.queries.ts';

const source = pagesOf(listWaybills);
const LIST = '/waybill/list';

function columnsFor({ text, time }: Viewer): ListColumn<Waybill>[] {
  const moment = (at: string | null) => (
    <span className="number">{at === null ? EN_RULE : time(at, 'date-time')}</span>
  );
  return [
    {
      key: 'number',
      title: text('waybills.number'),
      sortable: true,
      pinned: true,
      render: ({ number }) => number,
    },
    {
      key: 'state',
      title: text('waybills.state'),
      sortable: true,
      render: (waybill) => <WaybillTags waybill={waybill} />,
    },
    {
      key: 'route',
      title: text('waybills.route'),
      maxWidth: 190,
      render: ({ consignorUnit, consigneeUnit }) => `${consignorUnit} → ${consigneeUnit}`,
    },
    {
      key: 'goods',
      title: text('waybills.goods'),
      maxWidth: 140,
      render: ({ goods }) => goodsWords(goods) || EN_RULE,
    },
    {
      key: 'limits',
      title: text('waybills.limits'),
      render: ({ low, high }) => <span className="number">{zoneWords({ zoneMin: low, zoneMax: high })}</span>,
    },
    {
      key: 'tour',
      title: text('waybills.tour'),
      offered: true,
      render: ({ tour, stop }) => (tour ? [tour, stop].filter((each) => each !== null).join(' / ') : EN_RULE),
    },
    { key: 'asset', title: text('waybills.asset'), maxWidth: 130, render: ({ assetName }) => assetName },
    {
      key: 'expectedAt',
      title: text('waybills.arrival'),
      render: (waybill) => <ExpectedCell waybill={waybill} />,
    },
    {
      key: 'plannedDepartureAt',
      title: text('waybills.planned-departure'),
      sortable: true,
      firstOrder: 'desc',
      render: ({ plannedDepartureAt }) => moment(plannedDepartureAt),
    },
    {
      key: 'departedAt',
      title: text('waybills.departed'),
      sortable: true,
      firstOrder: 'desc',
      offered: true,
      render: ({ departedAt }) => moment(departedAt),
    },
    {
      key: 'endedAt',
      title: text('waybills.ended'),
      offered: true,
      render: ({ endedAt }) => moment(endedAt),
    },
    {
      key: 'organization',
      title: text('waybills.organization'),
      offered: true,
      maxWidth: 220,
      render: ({ organizationName }) => <span className="secondary">{organizationName}</span>,
    },
  ];
}

/** List of the waybills of the user's own and subordinate organisations. */
export default function WaybillList() {
  const viewer = useViewer();
  const { text } = viewer;
  const go = useGo();
  const [params, change] = useUrlState();
  const organizations = useOrganizations();
  const mayEdit = usePermission('waybill-list:edit');
  const changes = useWaybillChanges();
  const [doomed, setDoomed] = useState<Waybill | null>(null);
  const columns = useMemo(() => columnsFor(viewer), [viewer]);
  const filters = useMemo<ListFilter[]>(
    () => [
      {
        keys: ['state'],
        label: text('waybills.state'),
        options: WAYBILL_STATES.map((value) => ({ value, label: text(`waybills.state.${value}`) })),
      },
      {
        keys: ['decision'],
        label: text('waybills.decision'),
        options: ([...DECISIONS, 'none'] as const).map((value) => ({
          value,
          label: text(`waybills.decision.${value}`),
        })),
      },
      organizationFilter(text, organizations),
    ],
    [text, organizations],
  );
  const create = (
    <PermissionButton
      permission="waybill-list:edit"
      variant="primary"
      onClick={() => change({ new: 1 }, 'push')}
    >
      <Icon name="plus" />
      {text('waybills.create')}
    </PermissionButton>
  );
  return (
    <>
      <ListPage
        name="waybill-list"
        title={text('menu.waybill-list')}
        purpose={text('waybills.purpose')}
        source={source}
        queryKey={WAYBILLS_KEY}
        columns={columns}
        filters={filters}
        rowKey={({ id }) => id}
        rowName={({ number }) => number}
        searchLabel={text('waybills.search')}
        defaultSort={{ sort: 'plannedDepartureAt', order: 'desc' }}
        exporting={exportWaybills}
        importing={[
          {
            route: importWaybills,
            template: getWaybillTemplate,
            title: text('waybills.import.title'),
            help: text('waybills.import.help'),
          },
        ]}
        actions={create}
        onOpen={({ id }) => go(`${LIST}/${id}`)}
        rowActions={(waybill) =>
          mayEdit && waybill.state === 'not-shipped'
            ? [
                {
                  key: 'delete',
                  label: text('waybills.delete'),
                  danger: true,
                  onClick: () => setDoomed(waybill),
                },
              ]
            : []
        }
        empty={{ title: text('waybills.empty'), reason: text('waybills.empty-reason'), action: create }}
      />
      {params.get('new') && mayEdit ? (
        <WaybillForm
          onClose={() => change({ new: null })}
          onDone={(id) => {
            change({ new: null });
            go(`${LIST}/${id}`);
          }}
        />
      ) : null}
      {doomed ? (
        <ConfirmWithReason
          weight="reason"
          grave
          title={text('waybills.delete.title', { name: doomed.number })}
          confirmLabel={text('waybills.delete')}
          onConfirm={async (reason) => {
            await changes.remove(doomed.id, reason);
            toast('success', text('waybills.deleted', { name: doomed.number }));
          }}
          onClose={() => setDoomed(null)}
        >
          {text('waybills.delete.means')}
        </ConfirmWithReason>
      ) : null}
    </>
  );
}
