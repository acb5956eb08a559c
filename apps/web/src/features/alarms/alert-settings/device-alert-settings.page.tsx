import './alert-settings.css';
import { type AlertSetting, listAlertSettings } from '@isotherm/contracts/alert-settings';
import { INDICATOR_NAMES } from '@isotherm/domain/readings/indicator';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useRef, useState } from 'react';
import { useOrganizations } from '../../../shared/access/organizations.ts';
import { usePermission } from '../../../shared/access/permissions.ts';
import { AssetTree } from '../../../shared/assets/asset-tree.tsx';
import { INDICATOR_LABEL } from '../../../shared/format/labels.ts';
import { type Text, useText } from '../../../shared/i18n/use-text.ts';
import { useGo } from '../../../shared/tabs/use-go.ts';
import { BatchReport, type BatchResult, wentWell } from '../../../shared/ui/batch-report.tsx';
import { Button } from '../../../shared/ui/button.tsx';
import { ConfirmWithReason } from '../../../shared/ui/confirm-dialog.tsx';
import { ListPage } from '../../../shared/ui/list/list-page.tsx';
import { pagesOf } from '../../../shared/ui/list/list-source.ts';
import type { ListColumn, ListFilter, ListView, Selection } from '../../../shared/ui/list/list-types.ts';
import { organizationFilter } from '../../../shared/ui/list/organization-filter.tsx';
import { PageHead } from '../../../shared/ui/page-head.tsx';
import { TreeSelect } from '../../../shared/ui/tree/tree-select.tsx';
import { useNarrow } from '../../../shared/ui/use-narrow.ts';
import { useUrlState } from '../../../shared/ui/use-url-state.ts';
import { targetGroupsQuery } from '../policies/policies.queries.ts';
import { ALERT_SETTINGS_KEY, policyOptionsQuery, useAlertSettingChanges } from './alert-settings.queries.ts';
import { AssignForm, assetsOf, CopySettingsForm, TemplateForm } from './setting-forms.tsx';
import { RulesCell, SourceCell } from './setting-words.tsx';

const source = pagesOf(listAlertSettings);
const VIEWS = ['all', 'none', 'own', 'policy'] as const;
/** Space of the page above and below the tree. */
const AROUND_PX = 260;

function columnsFor(text: Text): ListColumn<AlertSetting>[] {
  return [
    {
      key: 'asset',
      title: text('alert-settings.channel'),
      sortable: true,
      pinned: true,
      maxWidth: 240,
      render: ({ assetName, channelName, deviceNumber }) => (
        <>
          <span className="strong">{assetName}</span>
          <div className="small secondary">{`${channelName} · ${deviceNumber}`}</div>
        </>
      ),
    },
    {
      key: 'quantity',
      title: text('alert-settings.quantity'),
      sortable: true,
      render: ({ indicator }) => text(INDICATOR_LABEL[indicator]),
    },
    {
      key: 'source',
      title: text('alert-settings.source'),
      maxWidth: 240,
      render: (setting) => <SourceCell setting={setting} />,
    },
    {
      key: 'rules',
      title: text('alert-settings.rules'),
      render: (setting) => <RulesCell setting={setting} />,
    },
    {
      key: 'organization',
      title: text('policies.organization'),
      sortable: true,
      offered: true,
      maxWidth: 200,
      render: ({ organizationName }) => <span className="secondary">{organizationName}</span>,
    },
  ];
}

function useFilters(): ListFilter[] {
  const { text } = useText();
  const organizations = useOrganizations();
  const { data: groups, isPending } = useQuery(targetGroupsQuery);
  const { data: policies } = useQuery(policyOptionsQuery);
  return useMemo(() => {
    const group = text('alert-settings.group');
    return [
      {
        keys: ['quantity'],
        label: text('alert-settings.quantity'),
        options: INDICATOR_NAMES.map((value) => ({ value, label: text(INDICATOR_LABEL[value]) })),
      },
      {
        keys: ['policyId'],
        label: text('alert-settings.policy'),
        options: (policies?.items ?? []).map(({ id, name }) => ({ value: String(id), label: name })),
      },
      {
        keys: ['groupId'],
        label: group,
        control: (values, change) => (
          <TreeSelect
            className="list-tree"
            aria-label={group}
            nodes={groups ?? []}
            loading={isPending}
            clearable
            placeholder={text('common.list.chip', { name: group, value: text('common.list.any') })}
            value={values.groupId ? Number(values.groupId) : undefined}
            onChange={(id) => change({ groupId: id === undefined ? null : String(id) })}
          />
        ),
        describe: (values) => groups?.find(({ id }) => String(id) === values.groupId)?.name ?? '',
      },
      { ...organizationFilter(text, organizations), more: true },
      // The tree beside the list sets this filter.
      {
        keys: ['assetId'],
        label: text('policies.target.asset'),
        more: true,
        control: () => null,
        describe: () => text('alert-settings.selected'),
      },
    ];
  }, [text, organizations, groups, isPending, policies]);
}

type Form = 'assign' | 'template' | 'copy' | 'end-own';
interface Chosen {
  form: Form;
  selection: Selection<AlertSetting>;
}

/** Rules in force by asset: organisations and assets on the left, their channels on the right. */
export default function AlertSettings() {
  const { text } = useText();
  const go = useGo();
  const narrow = useNarrow();
  const [params] = useUrlState();
  const mayEdit = usePermission('alarm-policies:edit');
  const [chosen, setChosen] = useState<Chosen | null>(null);
  const columns = useMemo(() => columnsFor(text), [text]);
  const filters = useFilters();
  const views = useMemo<ListView[]>(
    () =>
      VIEWS.map((key): ListView => {
        const label = text(`alert-settings.view.${key}`);
        return { key, label, query: key === 'all' ? {} : { source: key } };
      }),
    [text],
  );
  return (
    <div className="page alerting-page">
      <PageHead title={text('menu.device-alert-settings')} purpose={text('alert-settings.purpose')} />
      <div className="alerting-columns">
        {narrow ? null : <PlaceTree />}
        <ListPage
          // Another place forgets the selection.
          key={`${params.get('organizationId')} ${params.get('assetId')}`}
          embedded
          name="device-alert-settings"
          title={text('menu.device-alert-settings')}
          purpose={text('alert-settings.purpose')}
          source={source}
          queryKey={ALERT_SETTINGS_KEY}
          columns={columns}
          rowKey={({ channelId }) => channelId}
          rowName={({ assetName, channelName }) => `${assetName}, ${channelName}`}
          searchLabel={text('alert-settings.search')}
          defaultSort={{ sort: 'asset', order: 'asc' }}
          filters={filters}
          views={views}
          counts={({ none, own, policy }) => ({ none, own, policy })}
          onOpen={({ assetId }) => go(`/asset/${assetId}?tab=rules`)}
          rowActions={({ assetId, policies }) => [
            {
              key: 'rules',
              label: text('alert-settings.open-rules'),
              onClick: () => go(`/asset/${assetId}?tab=rules`),
            },
            ...policies.slice(0, 1).map(({ id }) => ({
              key: 'back-test',
              label: text('alert-settings.back-test'),
              onClick: () => go(`/alarm/policies/${id}`),
            })),
          ]}
          {...(mayEdit
            ? {
                bulk: (selection: Selection<AlertSetting>) => (
                  <>
                    <Button onClick={() => setChosen({ form: 'assign', selection })}>
                      {text('alert-settings.assign')}
                    </Button>
                    <Button onClick={() => setChosen({ form: 'template', selection })}>
                      {text('alert-settings.template')}
                    </Button>
                    <Button onClick={() => setChosen({ form: 'copy', selection })}>
                      {text('alert-settings.copy')}
                    </Button>
                    {selection.items.some((setting) => setting.source === 'own') ? (
                      <Button onClick={() => setChosen({ form: 'end-own', selection })}>
                        {text('alert-settings.end-own')}
                      </Button>
                    ) : null}
                  </>
                ),
              }
            : {})}
          empty={{ title: text('alert-settings.empty'), reason: text('alert-settings.empty-reason') }}
        />
      </div>
      <SettingDialogs chosen={chosen} onClose={() => setChosen(null)} />
    </div>
  );
}

/** Tree that limits the list to an organisation or an asset. */
function PlaceTree() {
  const { text } = useText();
  const box = useRef<HTMLInputElement>(null);
  const [params, change] = useUrlState();
  const assetId = Number(params.get('assetId')) || undefined;
  const organizationId = Number(params.get('organizationId')) || undefined;
  return (
    <nav className="panel alerting-tree" aria-label={text('alert-settings.tree')}>
      <AssetTree
        box={box}
        aroundPx={AROUND_PX}
        one={assetId}
        onTake={({ id }) => change({ assetId: id, organizationId: null, page: null }, 'push')}
        place={organizationId}
        onPlace={(id) => change({ organizationId: id, assetId: null, page: null }, 'push')}
      />
      {assetId || organizationId ? (
        <Button
          variant="link"
          onClick={() => change({ assetId: null, organizationId: null, page: null }, 'push')}
        >
          {text('alert-settings.tree.all')}
        </Button>
      ) : null}
    </nav>
  );
}

/** Forms of the bulk actions, and the list of what failed. */
function SettingDialogs({ chosen, onClose }: { chosen: Chosen | null; onClose: () => void }) {
  const { text } = useText();
  const changes = useAlertSettingChanges();
  const [report, setReport] = useState<BatchResult | null>(null);
  const settings = chosen?.selection.items ?? [];
  function done(result: BatchResult, sentence: string) {
    chosen?.selection.clear();
    if (!wentWell(result, sentence)) setReport(result);
  }
  const assets = assetsOf(settings);
  const form = { settings, onDone: done, onClose };
  return (
    <>
      {chosen?.form === 'assign' ? <AssignForm {...form} /> : null}
      {chosen?.form === 'template' ? <TemplateForm {...form} /> : null}
      {chosen?.form === 'copy' ? <CopySettingsForm {...form} /> : null}
      {chosen?.form === 'end-own' ? (
        <ConfirmWithReason
          weight="reason"
          title={text('alert-settings.end-own.title', { count: assets.length })}
          confirmLabel={text('alert-settings.end-own')}
          onConfirm={async (why) => {
            const result = await changes.endOwn({ assetIds: assets, reason: why });
            done(result, text('alert-settings.end-own.done', { count: result.success }));
          }}
          onClose={onClose}
        >
          <p>{text('policies.own.end.means')}</p>
        </ConfirmWithReason>
      ) : null}
      {report ? <BatchReport result={report} onClose={() => setReport(null)} /> : null}
    </>
  );
}
