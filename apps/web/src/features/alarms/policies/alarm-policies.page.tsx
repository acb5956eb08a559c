import './policies.css';
import { type AlarmPolicy, listPolicies } from '@isotherm/contracts/alarm-policies';
import { POLICY_TEMPLATES, TEMPLATES } from '@isotherm/domain/alarms/policy-templates';
import Drawer from 'antd/es/drawer';
import { useMemo, useState } from 'react';
import { useOrganizations } from '../../../shared/access/organizations.ts';
import { usePermission } from '../../../shared/access/permissions.ts';
import { useViewer, type Viewer } from '../../../shared/format/viewer.tsx';
import { useText } from '../../../shared/i18n/use-text.ts';
import { useGo } from '../../../shared/tabs/use-go.ts';
import { FocusReturn } from '../../../shared/ui/focus-return.tsx';
import { Icon } from '../../../shared/ui/icon.tsx';
import { LevelGlyph } from '../../../shared/ui/level-glyph.tsx';
import { ListPage } from '../../../shared/ui/list/list-page.tsx';
import { pagesOf } from '../../../shared/ui/list/list-source.ts';
import type { ListColumn, ListFilter } from '../../../shared/ui/list/list-types.ts';
import { organizationFilter } from '../../../shared/ui/list/organization-filter.tsx';
import { PermissionButton } from '../../../shared/ui/permission-button.tsx';
import { useUrlState } from '../../../shared/ui/use-url-state.ts';
import { POLICIES_KEY } from './policies.queries.ts';
import { CopyForm, DeletePolicy } from './policy-dialogs.tsx';
import { conditionWords } from './policy-words.ts';

const source = pagesOf(listPolicies);

function columnsFor({ text, time }: Viewer): ListColumn<AlarmPolicy>[] {
  return [
    {
      key: 'name',
      title: text('policies.name'),
      sortable: true,
      pinned: true,
      maxWidth: 260,
      render: ({ name }) => name,
    },
    {
      key: 'conditions',
      title: text('policies.conditions'),
      maxWidth: 320,
      render: ({ definition, fences }) =>
        definition.conditions.map((condition) => conditionWords(condition, text, fences)).join(' · '),
    },
    {
      key: 'levels',
      title: text('policies.steps'),
      render: ({ definition }) => (
        <span className="graded-levels">
          {definition.steps.map(({ level }) => (
            <LevelGlyph key={level} level={level} />
          ))}
        </span>
      ),
    },
    {
      key: 'used',
      title: text('policies.used'),
      render: (policy) => usedWords(policy, text),
    },
    {
      key: 'enabled',
      title: text('policies.state'),
      render: ({ enabled }) => (
        <span className="tag">{text(enabled ? 'policies.state.enabled' : 'policies.state.disabled')}</span>
      ),
    },
    {
      key: 'organization',
      title: text('policies.organization'),
      sortable: true,
      maxWidth: 220,
      render: ({ organizationName }) => <span className="secondary">{organizationName}</span>,
    },
    {
      key: 'changedAt',
      title: text('policies.changed'),
      sortable: true,
      firstOrder: 'desc',
      render: ({ changedAt, changedBy }) => (
        <span className="secondary">{`${time(changedAt, 'date-time')} · ${changedBy}`}</span>
      ),
    },
  ];
}

/**
 * Number of assets that use the policy, or if there are none, the number of devices without an asset that
 * use it.
 */
function usedWords({ assets, devices }: AlarmPolicy, text: Viewer['text']): string {
  if (assets > 0) return text('policies.used.assets', { count: assets });
  return devices > 0 ? text('policies.used.devices', { count: devices }) : text('policies.used.none');
}

/** List of the policies of the user's own and subordinate organisations. */
export default function PolicyList() {
  const viewer = useViewer();
  const { text } = viewer;
  const go = useGo();
  const [params, change] = useUrlState();
  const organizations = useOrganizations();
  const mayEdit = usePermission('alarm-policies:edit');
  const [doomed, setDoomed] = useState<AlarmPolicy | null>(null);
  const [copied, setCopied] = useState<AlarmPolicy | null>(null);
  const columns = useMemo(() => columnsFor(viewer), [viewer]);
  const filters = useMemo<ListFilter[]>(
    () => [
      organizationFilter(text, organizations),
      {
        keys: ['enabled'],
        label: text('policies.state'),
        options: [
          { value: 'true', label: text('policies.state.enabled') },
          { value: 'false', label: text('policies.state.disabled') },
        ],
      },
    ],
    [text, organizations],
  );
  const create = (
    <PermissionButton
      permission="alarm-policies:edit"
      variant="primary"
      onClick={() => change({ new: 1 }, 'push')}
    >
      <Icon name="plus" />
      {text('policies.create')}
    </PermissionButton>
  );
  return (
    <>
      <ListPage
        name="alarm-policies"
        title={text('menu.alarm-policies')}
        purpose={text('policies.purpose')}
        source={source}
        queryKey={POLICIES_KEY}
        columns={columns}
        rowKey={({ id }) => id}
        rowName={({ name }) => name}
        searchLabel={text('policies.search')}
        defaultSort={{ sort: 'name', order: 'asc' }}
        filters={filters}
        actions={create}
        onOpen={({ id }) => go(`/alarm/policies/${id}`)}
        rowActions={(policy) =>
          mayEdit
            ? [
                { key: 'copy', label: text('policies.copy'), onClick: () => setCopied(policy) },
                {
                  key: 'delete',
                  label: text('policies.delete'),
                  danger: true,
                  onClick: () => setDoomed(policy),
                },
              ]
            : []
        }
        empty={{ title: text('policies.empty'), reason: text('policies.empty-reason'), action: create }}
      />
      {params.get('new') && mayEdit ? <TemplateChoice onClose={() => change({ new: null })} /> : null}
      {doomed ? <DeletePolicy policy={doomed} onClose={() => setDoomed(null)} /> : null}
      {copied ? <CopyForm policy={copied} onClose={() => setCopied(null)} /> : null}
    </>
  );
}

function TemplateChoice({ onClose }: { onClose: () => void }) {
  const { text } = useText();
  const go = useGo();
  const begin = (template: string) => {
    onClose();
    go(`/alarm/policies/new?template=${template}`);
  };
  return (
    <>
      <FocusReturn />
      <Drawer
        open
        size={720}
        closable={{ placement: 'end' }}
        title={text('policies.template.choose')}
        onClose={onClose}
      >
        <p className="secondary">{text('policies.template.means')}</p>
        <div className="graded-templates">
          {POLICY_TEMPLATES.map((name) => (
            <button key={name} type="button" className="graded-template" onClick={() => begin(name)}>
              <strong>{text(`policies.template.${name}`)}</strong>
              <span className="small secondary">
                {TEMPLATES[name].conditions.map((condition) => conditionWords(condition, text)).join(' · ')}
              </span>
              <span className="small tertiary">{TEMPLATES[name].sources.join(', ')}</span>
            </button>
          ))}
          <button type="button" className="graded-template" onClick={() => begin('none')}>
            <strong>{text('policies.template.none')}</strong>
          </button>
        </div>
      </Drawer>
    </>
  );
}
