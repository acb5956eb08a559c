import './organizations.css';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { organizationTreeQuery } from '../../../shared/access/organizations.ts';
import { usePagePermission, usePermission } from '../../../shared/access/permissions.ts';
import { useText } from '../../../shared/i18n/use-text.ts';
import { AccessNotice, FailureNotice } from '../../../shared/ui/notice.tsx';
import { PageHead } from '../../../shared/ui/page-head.tsx';
import { useNarrow } from '../../../shared/ui/use-narrow.ts';
import { oneOf, useUrlState } from '../../../shared/ui/use-url-state.ts';
import { DeleteDialog } from './delete-dialog.tsx';
import { MoveDialog } from './move-dialog.tsx';
import { type OrganizationAction, OrganizationDetail } from './organization-detail.tsx';
import { OrganizationCreateForm, OrganizationEditForm } from './organization-form.tsx';
import { OrganizationTree } from './organization-tree.tsx';
import { organizationQuery } from './organizations.queries.ts';

const ACTIONS = ['create', 'edit', 'move', 'delete'] as const;
/** Height of the console header, the tabs, the page header, and the tree's own search and footer. */
const AROUND_TREE_PX = 262;
const NARROW_TREE_PX = 320;

/** Page with the organisation tree and the selected organisation. */
export default function OrganizationsPage() {
  const { text } = useText();
  const narrow = useNarrow();
  const access = usePagePermission('management-organizations:view');
  const mayMove = usePermission('management-organizations:move');
  const [params, change] = useUrlState();
  const tree = useQuery({ ...organizationTreeQuery, enabled: access.state === 'held' });
  const nodes = tree.data;
  const [dropTarget, setDropTarget] = useState<number | null>(null);

  const wanted = Number(params.get('id'));
  const first = nodes?.[0]?.id ?? null;
  const selected = nodes?.some(({ id }) => id === wanted) ? wanted : first;
  const {
    data: organization,
    error,
    refetch,
  } = useQuery({
    ...organizationQuery(selected ?? 0),
    enabled: selected !== null && access.state === 'held',
  });
  const action = oneOf(ACTIONS, params.get('do'));
  const parentLevel = useMemo(
    () => nodes?.find(({ id }) => id === organization?.parentId)?.level ?? null,
    [nodes, organization?.parentId],
  );
  const select = (id: number) => change({ id, do: null }, 'push');
  const act = (next: OrganizationAction) => {
    setDropTarget(null);
    change({ do: next }, 'push');
  };
  const close = () => change({ do: null });

  const shown = organization && organization.id === selected ? organization : null;
  return (
    <div className="page">
      <PageHead title={text('menu.management-organizations')} purpose={text('organizations.purpose')} />
      {access.state === 'denied' || access.state === 'failed' ? (
        <section className="panel">
          <AccessNotice access={access} />
        </section>
      ) : (
        <div className="orgs">
          <section className="panel" aria-label={text('organizations.tree')} aria-busy={!nodes}>
            {nodes ? (
              <OrganizationTree
                nodes={nodes}
                selected={selected}
                height={narrow ? NARROW_TREE_PX : Math.max(NARROW_TREE_PX, innerHeight - AROUND_TREE_PX)}
                mayMove={mayMove}
                onSelect={select}
                onMove={(id, target) => {
                  setDropTarget(target);
                  change({ id, do: 'move' }, 'push');
                }}
              />
            ) : tree.error ? (
              <FailureNotice error={tree.error} retry={() => void tree.refetch()} />
            ) : (
              <div className="skeleton skeleton-body" />
            )}
          </section>
          <section className="panel">
            {shown ? (
              <OrganizationDetail organization={shown} onSelect={select} onAct={act} />
            ) : error ? (
              <FailureNotice error={error} retry={() => void refetch()} />
            ) : (
              <div className="skeleton skeleton-body" />
            )}
          </section>
        </div>
      )}
      {shown && action === 'create' ? (
        <OrganizationCreateForm parent={shown} onMade={(id) => change({ id, do: null })} onClose={close} />
      ) : null}
      {shown && action === 'edit' ? (
        <OrganizationEditForm organization={shown} parentLevel={parentLevel} onClose={close} />
      ) : null}
      {shown && action === 'move' ? (
        <MoveDialog key={dropTarget} organization={shown} target={dropTarget} onClose={close} />
      ) : null}
      {shown && action === 'delete' ? (
        <DeleteDialog
          organization={shown}
          onDeleted={() => change({ id: shown.parentId, do: null })}
          onClose={close}
        />
      ) : null}
    </div>
  );
}
