import type { Organization } from '@isotherm/contracts/organizations';
import { mayStandBelow } from '@isotherm/domain/access/organization-tree';
import { useMemo, useState } from 'react';
import { useOrganizations } from '../../../shared/access/organizations.ts';
import { useText } from '../../../shared/i18n/use-text.ts';
import { ConfirmWithReason } from '../../../shared/ui/confirm-dialog.tsx';
import { toast } from '../../../shared/ui/toast.tsx';
import { indexTree } from '../../../shared/ui/tree/tree-index.ts';
import { TreeSelect } from '../../../shared/ui/tree/tree-select.tsx';
import { useOrganizationChanges } from './organizations.queries.ts';

/** Dialog that moves an organisation with all its descendants, after showing what is included. */
export function MoveDialog({
  organization,
  target,
  onClose,
}: {
  organization: Organization;
  /** Target of a drag and drop; null if the user has yet to select it. */
  target: number | null;
  onClose: () => void;
}) {
  const { text } = useText();
  const { nodes, loading } = useOrganizations();
  const changes = useOrganizationChanges();
  const [parentId, setParentId] = useState<number | undefined>(target ?? undefined);
  // Organisations that cannot be the target: the moved one and its descendants, those of unsuitable levels,
  // and the current parent.
  const without = useMemo(() => {
    const own = indexTree(nodes).subtreeOf(organization.id);
    for (const node of nodes)
      if (!mayStandBelow(organization.level, node.level) || node.id === organization.parentId)
        own.add(node.id);
    return own;
  }, [nodes, organization]);
  const { organizations, users, assets, devices } = organization.counts;
  return (
    <ConfirmWithReason
      weight="reason"
      title={text('organizations.move.title', { name: organization.name })}
      confirmLabel={text('organizations.move')}
      onConfirm={async (reason) => {
        if (parentId === undefined) throw new Error(text('organizations.move.choose'));
        await changes.move(organization.id, parentId, reason);
        toast('success', text('organizations.move.done', { name: organization.name }));
      }}
      onClose={onClose}
    >
      <p>{text('organizations.move.means', { organizations, users, assets, devices })}</p>
      <div className="confirm-field">
        <span className="field-label">{text('organizations.move.to')}</span>
        <TreeSelect
          aria-label={text('organizations.move.to')}
          nodes={nodes}
          loading={loading}
          without={without}
          value={parentId}
          onChange={setParentId}
        />
      </div>
    </ConfirmWithReason>
  );
}
