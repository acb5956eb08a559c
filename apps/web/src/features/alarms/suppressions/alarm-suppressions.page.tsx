import './suppressions.css';
import { listSuppressions, type Suppression } from '@isotherm/contracts/suppressions';
import { SUPPRESSION_KINDS } from '@isotherm/domain/alarms/suppression';
import { useQuery } from '@tanstack/react-query';
import Drawer from 'antd/es/drawer';
import { type ReactNode, useMemo, useState } from 'react';
import { useOrganizations } from '../../../shared/access/organizations.ts';
import { usePermission } from '../../../shared/access/permissions.ts';
import { useViewer, type Viewer } from '../../../shared/format/viewer.tsx';
import { Button } from '../../../shared/ui/button.tsx';
import { FocusReturn } from '../../../shared/ui/focus-return.tsx';
import { Icon } from '../../../shared/ui/icon.tsx';
import { ListPage } from '../../../shared/ui/list/list-page.tsx';
import { pagesOf } from '../../../shared/ui/list/list-source.ts';
import type { ListColumn, ListFilter, ListView } from '../../../shared/ui/list/list-types.ts';
import { organizationFilter } from '../../../shared/ui/list/organization-filter.tsx';
import { FailureNotice } from '../../../shared/ui/notice.tsx';
import { PermissionButton } from '../../../shared/ui/permission-button.tsx';
import { useUrlState } from '../../../shared/ui/use-url-state.ts';
import { ChangeForm, DeclareForm, EndDialog } from './suppression-forms.tsx';
import { endOf, levelText, stateWords } from './suppression-words.ts';
import { SUPPRESSIONS_KEY, suppressionQuery } from './suppressions.queries.ts';

const EDIT = 'alarm-suppressions:edit';
const source = pagesOf(listSuppressions);
const VIEWS = ['all', 'active', 'planned', 'over'] as const;
/** States change with time. */
const REFRESH_MS = 30_000;

function columnsFor({ text, time }: Viewer): ListColumn<Suppression>[] {
  return [
    {
      key: 'target',
      title: text('suppressions.target'),
      sortable: true,
      pinned: true,
      maxWidth: 240,
      render: ({ targetName, targetKind }) => (
        <>
          <span className="strong">{targetName}</span>
          <div className="small tertiary">{text(`suppressions.target.${targetKind}`)}</div>
        </>
      ),
    },
    {
      key: 'state',
      title: text('suppressions.state'),
      render: (window) => <span className="tag">{stateWords(window, text)}</span>,
    },
    {
      key: 'kind',
      title: text('suppressions.kind'),
      render: ({ kind }) => text(`suppressions.kind.${kind}`),
    },
    {
      key: 'from',
      title: text('suppressions.from'),
      sortable: true,
      firstOrder: 'desc',
      render: ({ from }) => <span className="number">{time(from, 'date-time')}</span>,
    },
    {
      key: 'until',
      title: text('suppressions.until'),
      sortable: true,
      firstOrder: 'desc',
      render: (window) => <span className="number">{time(endOf(window), 'date-time')}</span>,
    },
    {
      key: 'reason',
      title: text('suppressions.reason'),
      maxWidth: 320,
      render: ({ reason }) => reason,
    },
    {
      key: 'level',
      title: text('suppressions.level'),
      align: 'end',
      render: ({ highestLevel }) => <span className="number">{highestLevel}</span>,
    },
    {
      key: 'held',
      title: text('suppressions.held'),
      align: 'end',
      render: ({ held }) => <span className="number">{held}</span>,
    },
    {
      key: 'owner',
      title: text('suppressions.owner'),
      maxWidth: 180,
      render: ({ owner }) => owner,
    },
    {
      key: 'organization',
      title: text('suppressions.organization'),
      offered: true,
      maxWidth: 220,
      render: ({ organizationName }) => <span className="secondary">{organizationName}</span>,
    },
  ];
}

/** List of declared suppression windows. The address names the open one. */
export default function SuppressionList() {
  const viewer = useViewer();
  const { text } = viewer;
  const organizations = useOrganizations();
  const [params, change] = useUrlState();
  const mayEdit = usePermission(EDIT);
  const [edited, setEdited] = useState<Suppression | null>(null);
  const [ending, setEnding] = useState<Suppression | null>(null);
  const opened = Number(params.get('window')) || null;
  const columns = useMemo(() => columnsFor(viewer), [viewer]);
  const views = useMemo<ListView[]>(
    () =>
      VIEWS.map(
        (key): ListView =>
          key === 'all'
            ? { key, label: text('suppressions.view.all'), query: {} }
            : { key, label: text(`suppressions.state.${key}`), query: { state: key } },
      ),
    [text],
  );
  const filters = useMemo<ListFilter[]>(
    () => [
      {
        keys: ['kind'],
        label: text('suppressions.kind'),
        options: SUPPRESSION_KINDS.map((value) => ({ value, label: text(`suppressions.kind.${value}`) })),
      },
      organizationFilter(text, organizations),
    ],
    [text, organizations],
  );
  const create = (
    <PermissionButton permission={EDIT} variant="primary" onClick={() => change({ new: 1 }, 'push')}>
      <Icon name="plus" />
      {text('suppressions.create')}
    </PermissionButton>
  );
  const actionsOf = (window: Suppression) =>
    mayEdit && window.isEditable
      ? [
          { key: 'edit', label: text('suppressions.edit'), onClick: () => setEdited(window) },
          { key: 'end', label: text(endWord(window)), onClick: () => setEnding(window) },
        ]
      : [];
  return (
    <>
      <ListPage
        name="alarm-suppressions"
        title={text('menu.alarm-suppressions')}
        purpose={text('suppressions.purpose')}
        source={source}
        queryKey={SUPPRESSIONS_KEY}
        columns={columns}
        rowKey={({ id }) => id}
        rowName={({ targetName }) => targetName}
        searchLabel={text('suppressions.search')}
        defaultSort={{ sort: 'from', order: 'desc' }}
        filters={filters}
        views={views}
        refreshAfter={() => REFRESH_MS}
        actions={create}
        onOpen={({ id }) => change({ window: id }, 'push')}
        rowActions={actionsOf}
        empty={{
          title: text('suppressions.empty'),
          reason: text('suppressions.empty-reason'),
          action: create,
        }}
      />
      {opened ? (
        <WindowDrawer
          id={opened}
          actions={(window) =>
            actionsOf(window).map(({ key, label, onClick }) => (
              <Button key={key} onClick={onClick}>
                {label}
              </Button>
            ))
          }
          onClose={() => change({ window: null })}
        />
      ) : null}
      {params.get('new') && mayEdit ? <DeclareForm onClose={() => change({ new: null })} /> : null}
      {edited ? <ChangeForm window={edited} onClose={() => setEdited(null)} /> : null}
      {ending ? <EndDialog window={ending} onClose={() => setEnding(null)} /> : null}
    </>
  );
}

const endWord = ({ state }: Suppression) =>
  state === 'planned' ? 'suppressions.cancel' : 'suppressions.end';

/** Drawer with all facts of a window. */
function WindowDrawer({
  id,
  actions,
  onClose,
}: {
  id: number;
  actions: (window: Suppression) => ReactNode;
  onClose: () => void;
}) {
  const { text, time } = useViewer();
  const { data: window, error, refetch } = useQuery(suppressionQuery(id));
  return (
    <>
      <FocusReturn />
      <Drawer
        open
        size={480}
        closable={{ placement: 'end' }}
        title={window?.targetName ?? text('suppressions.view')}
        onClose={onClose}
      >
        {error && !window ? <FailureNotice error={error} retry={() => void refetch()} /> : null}
        {!window && !error ? <div className="skeleton skeleton-body" /> : null}
        {window ? (
          <>
            <p className="strong">{window.reason}</p>
            <dl className="suppression-facts">
              <Fact label={text('suppressions.state')}>{stateWords(window, text)}</Fact>
              <Fact label={text('suppressions.kind')}>{text(`suppressions.kind.${window.kind}`)}</Fact>
              <Fact label={text('suppressions.from')}>{time(window.from, 'date-time')}</Fact>
              <Fact label={text('suppressions.until')}>{time(window.until, 'date-time')}</Fact>
              {window.endedAt ? (
                <Fact label={stateWords(window, text)}>
                  {`${time(window.endedAt, 'date-time')} · ${window.endedBy}`}
                </Fact>
              ) : null}
              <Fact label={text('suppressions.target-kind')}>
                {text(`suppressions.target.${window.targetKind}`)}
              </Fact>
              <Fact label={text('suppressions.level')}>{levelText(window.highestLevel, text)}</Fact>
              <Fact label={text('suppressions.held')}>{window.held}</Fact>
              <Fact label={text('suppressions.owner')}>{window.owner}</Fact>
              <Fact label={text('suppressions.declared')}>{time(window.declaredAt, 'date-time')}</Fact>
              <Fact label={text('suppressions.organization')}>{window.organizationName}</Fact>
            </dl>
            <div className="suppression-actions">{actions(window)}</div>
          </>
        ) : null}
      </Drawer>
    </>
  );
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}
