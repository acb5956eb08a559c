import { useText } from '../i18n/use-text.ts';
import { ConfirmDialog } from './confirm-dialog.tsx';
import { TableFrame } from './table-frame.tsx';

export interface ConflictRow {
  label: string;
  stored: string;
  mine: string;
}

/** Somebody else saved first: what stands now beside what was typed, and the choice between them. */
export function EditConflict({
  name,
  rows,
  onMine,
  onStored,
}: {
  /** Who was faster, where it is known. */
  name?: string;
  rows: readonly ConflictRow[];
  /** What is refused once more is said in the dialog. */
  onMine: () => unknown;
  onStored: () => void;
}) {
  const { text } = useText();
  return (
    <ConfirmDialog
      title={text('common.conflict.title')}
      confirmLabel={text('common.conflict.mine')}
      cancelLabel={text('common.conflict.stored')}
      onConfirm={onMine}
      onClose={onStored}
    >
      <p>{text('common.conflict.means', { name: name ?? text('common.conflict.somebody') })}</p>
      <TableFrame label={text('common.conflict.title')}>
        <thead>
          <tr>
            <th scope="col">{text('common.conflict.field')}</th>
            <th scope="col">{text('common.conflict.stands')}</th>
            <th scope="col">{text('common.conflict.typed')}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ label, stored, mine }) => (
            <tr key={label}>
              <th scope="row">{label}</th>
              <td>{stored}</td>
              <td>{mine}</td>
            </tr>
          ))}
        </tbody>
      </TableFrame>
    </ConfirmDialog>
  );
}
