import { downloadDeviceArchive } from '@isotherm/contracts/backups';
import type { BatchResult } from '@isotherm/contracts/batches';
import { renewDevices } from '@isotherm/contracts/device-batches';
import { type ExpiringDevice, listExpiring } from '@isotherm/contracts/device-registry';
import type { RenewalSelection } from '@isotherm/contracts/renewal-orders';
import { useMemo, useState } from 'react';
import { useOrganizations } from '../../../shared/access/organizations.ts';
import { usePermission } from '../../../shared/access/permissions.ts';
import { serverNow } from '../../../shared/api/clock.ts';
import { saveDownload } from '../../../shared/api/save-download.ts';
import { EN_RULE } from '../../../shared/format/number.ts';
import { dayText } from '../../../shared/format/time.ts';
import { useViewer, type Viewer } from '../../../shared/format/viewer.tsx';
import { RenewalNote } from '../../../shared/renewal/renewal-note.tsx';
import { useGo } from '../../../shared/tabs/use-go.ts';
import { BatchReport, wentWell } from '../../../shared/ui/batch-report.tsx';
import { Button } from '../../../shared/ui/button.tsx';
import { FormDrawer, FormSection } from '../../../shared/ui/form/form-drawer.tsx';
import { NumberField, TextAreaField } from '../../../shared/ui/form/text-fields.tsx';
import { ListPage } from '../../../shared/ui/list/list-page.tsx';
import { pagesOf } from '../../../shared/ui/list/list-source.ts';
import type { ListColumn, ListFilter } from '../../../shared/ui/list/list-types.ts';
import { organizationFilter } from '../../../shared/ui/list/organization-filter.tsx';
import { PermissionButton } from '../../../shared/ui/permission-button.tsx';
import { useUrlState } from '../../../shared/ui/use-url-state.ts';
import { DEVICES_KEY, useDeviceChanges } from './registry.queries.ts';

const source = pagesOf(listExpiring);
const renewForm = renewDevices.body.omit({ numbers: true });
const KEY = [...DEVICES_KEY, 'expired'] as const;
const YEAR_MONTHS = 12;

function columnsFor({ text, time }: Viewer): ListColumn<ExpiringDevice>[] {
  return [
    {
      key: 'number',
      title: text('devices.number'),
      sortable: true,
      pinned: true,
      render: ({ number }) => <span className="number">{number}</span>,
    },
    {
      key: 'name',
      title: text('devices.name'),
      sortable: true,
      maxWidth: 240,
      render: ({ name }) => name,
    },
    {
      key: 'term',
      title: text('devices.term'),
      render: ({ term }) => <span className="tag">{text(`devices.term.${term}`)}</span>,
    },
    {
      key: 'expiresOn',
      title: text('devices.expires'),
      sortable: true,
      render: ({ expiresOn }) => <span className="number">{expiresOn ? dayText(expiresOn) : EN_RULE}</span>,
    },
    {
      key: 'release',
      title: text('releases.state'),
      maxWidth: 260,
      render: ({ release }) =>
        release ? (
          <>
            <span>
              {text(`releases.state.${release.state}`, { day: release.at ? time(release.at, 'date') : '' })}
            </span>
            {release.archiveUntil ? (
              <div className="small secondary">
                {text('releases.archive-until', { day: time(release.archiveUntil, 'date') })}
              </div>
            ) : null}
          </>
        ) : (
          EN_RULE
        ),
    },
    {
      key: 'organization',
      title: text('devices.organization'),
      sortable: true,
      maxWidth: 240,
      render: ({ organizationName }) => <span className="secondary">{organizationName}</span>,
    },
    {
      key: 'asset',
      title: text('devices.asset'),
      maxWidth: 240,
      render: ({ asset }) => asset?.name ?? EN_RULE,
    },
    {
      key: 'model',
      title: text('devices.model'),
      sortable: true,
      maxWidth: 160,
      render: ({ model }) => <span className="secondary">{model || EN_RULE}</span>,
    },
  ];
}

/** The filter of the list in the address, for an order of all devices that it finds. */
function filterOf(params: URLSearchParams): RenewalSelection {
  const { search, organizationId, term } = listExpiring.query
    .pick({ search: true, organizationId: true, term: true })
    .parse(Object.fromEntries([...params].filter(([key]) => FILTER_KEYS.has(key))));
  return { filter: { search, organizationId, term } };
}
const FILTER_KEYS: ReadonlySet<string> = new Set(['search', 'organizationId', 'term']);

/**
 * List of the devices that must be renewed, the most urgent first. `onOrder` begins an order of their renewal.
 */
export function ExpiredList({ onOrder }: { onOrder: (devices: RenewalSelection) => void }) {
  const viewer = useViewer();
  const { text } = viewer;
  const mayDownload = usePermission('report-backup:export');
  const go = useGo();
  const changes = useDeviceChanges();
  const organizations = useOrganizations();
  const mayRenew = usePermission('device-expired:renew');
  const mayPay = usePermission('device-expired:pay');
  const [params] = useUrlState();
  const [asked, setAsked] = useState<{ numbers: string[]; done?: () => void } | null>(null);
  const [report, setReport] = useState<BatchResult | null>(null);
  const columns = useMemo(() => columnsFor(viewer), [viewer]);
  const filters = useMemo<ListFilter[]>(
    () => [
      organizationFilter(text, organizations),
      {
        keys: ['term'],
        label: text('devices.term'),
        options: (['expiring', 'expired', 'lapsed'] as const).map((term) => ({
          value: term,
          label: text(`devices.term.${term}`),
        })),
      },
    ],
    [text, organizations],
  );
  return (
    <>
      <ListPage
        name="device-expired"
        title={text('menu.device-expired')}
        purpose={text('devices.expired.purpose')}
        source={source}
        queryKey={KEY}
        columns={columns}
        rowKey={({ id }) => id}
        rowName={({ number }) => number}
        searchLabel={text('devices.search')}
        defaultSort={{ sort: 'expiresOn', order: 'asc' }}
        filters={filters}
        onOpen={({ number }) => go(`/device/list/${number}`)}
        rowActions={({ number, term, release }) => [
          ...(mayPay
            ? [
                {
                  key: 'order',
                  label: text('devices.renew'),
                  onClick: () => onOrder({ numbers: [number] }),
                },
              ]
            : []),
          ...(mayRenew && term !== 'lapsed'
            ? [
                {
                  key: 'renew',
                  label: text('renewals.without-payment'),
                  onClick: () => setAsked({ numbers: [number] }),
                },
              ]
            : []),
          ...(mayDownload && release?.archiveUntil && Date.parse(release.archiveUntil) > serverNow()
            ? [
                {
                  key: 'archive',
                  label: text('releases.download'),
                  onClick: () => void saveDownload(downloadDeviceArchive, { params: { number } }),
                },
              ]
            : []),
        ]}
        actions={
          <PermissionButton permission="device-expired:pay" onClick={() => onOrder(filterOf(params))}>
            {text('renewals.order-all')}
          </PermissionButton>
        }
        {...(mayRenew || mayPay
          ? {
              bulk: ({ items, clear }: { items: readonly ExpiringDevice[]; clear: () => void }) => {
                const numbers = items.map(({ number }) => number);
                return (
                  <>
                    {mayPay ? (
                      <Button onClick={() => onOrder({ numbers })}>{text('devices.renew')}</Button>
                    ) : null}
                    {mayRenew ? (
                      <Button onClick={() => setAsked({ numbers, done: clear })}>
                        {text('renewals.without-payment')}
                      </Button>
                    ) : null}
                  </>
                );
              },
            }
          : {})}
        above={<RenewalNote />}
        empty={{ title: text('devices.expired.empty'), reason: text('devices.expired.empty-reason') }}
      />
      {asked ? (
        <FormDrawer
          title={text('devices.renew.title', { count: asked.numbers.length })}
          submitLabel={text('devices.renew')}
          schema={renewForm}
          initial={{ months: YEAR_MONTHS }}
          submit={async ({ months, reason }) => {
            const result = await changes.renew({ numbers: asked.numbers, months, reason });
            if (!wentWell(result, text('devices.renew.done', { count: result.success }))) setReport(result);
            asked.done?.();
          }}
          onClose={() => setAsked(null)}
        >
          <FormSection>
            <NumberField
              name="months"
              label={text('devices.renew.months')}
              help={text('devices.renew.help')}
              step={1}
            />
            <TextAreaField name="reason" label={text('common.confirm.reason')} rows={2} />
          </FormSection>
        </FormDrawer>
      ) : null}
      {report ? <BatchReport result={report} onClose={() => setReport(null)} /> : null}
    </>
  );
}
