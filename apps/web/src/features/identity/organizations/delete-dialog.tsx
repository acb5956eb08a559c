import type { Organization } from '@isotherm/contracts/organizations';
import { Link } from 'react-router';
import { useText } from '../../../shared/i18n/use-text.ts';
import { ConfirmDialog, ConfirmWithReason } from '../../../shared/ui/confirm-dialog.tsx';
import { toast } from '../../../shared/ui/toast.tsx';
import { useOrganizationChanges } from './organizations.queries.ts';

/** Dialog that deletes an empty organisation. For others it lists what prevents the deletion, with links. */
export function DeleteDialog({
  organization,
  onDeleted,
  onClose,
}: {
  organization: Organization;
  onDeleted: () => void;
  onClose: () => void;
}) {
  const { text } = useText();
  const changes = useOrganizationChanges();
  const { id, name, counts } = organization;
  const inTheWay = (['organizations', 'users', 'assets', 'devices'] as const).filter(
    (kind) => counts[kind] > 0,
  );
  if (inTheWay.length > 0)
    return (
      <ConfirmDialog
        title={text('organizations.delete.refused', { name })}
        confirmLabel={text('common.action.close')}
        cancelLabel={null}
        onConfirm={onClose}
        onClose={onClose}
      >
        <p>{text('organizations.delete.in-the-way')}</p>
        <ul className="org-in-the-way">
          {inTheWay.map((kind) => (
            <li key={kind}>
              {kind === 'users' ? (
                <Link to={`/management/users?organizationId=${id}`}>
                  {text(`organizations.holds.${kind}`, { count: counts[kind] })}
                </Link>
              ) : kind === 'assets' ? (
                <Link to={`/monitor?q=${encodeURIComponent(name)}`}>
                  {text(`organizations.holds.${kind}`, { count: counts[kind] })}
                </Link>
              ) : (
                text(`organizations.holds.${kind}`, { count: counts[kind] })
              )}
            </li>
          ))}
        </ul>
      </ConfirmDialog>
    );
  return (
    <ConfirmWithReason
      weight="name"
      grave
      name={name}
      title={text('organizations.delete.title', { name })}
      confirmLabel={text('organizations.delete')}
      onConfirm={async (reason) => {
        await changes.remove(id, reason);
        toast('success', text('organizations.delete.done', { name }));
        onDeleted();
      }}
      onClose={onClose}
    >
      {text('organizations.delete.means')}
    </ConfirmWithReason>
  );
}
