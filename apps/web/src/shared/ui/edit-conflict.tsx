import { type ReactNode, useState } from 'react';
import { useText } from '../i18n/use-text.ts';
import { ConfirmDialog } from './confirm-dialog.tsx';
import { TableFrame } from './table-frame.tsx';

export interface ConflictRow {
  label: string;
  stored: string;
  mine: string;
}

interface Conflict {
  /** Name of the user who saved in the meantime, if known. */
  name?: string;
  rows: readonly ConflictRow[];
}

/** Choice of the user; `back` returns to the form with all input. */
export type ConflictChoice = 'mine' | 'discard' | 'back';

/**
 * Dialog for the case that someone else saved the same record in the meantime. The user saves their own
 * changes, discards them, or returns to the form. Closing the dialog in any way returns to the form, so that
 * an accidental click changes nothing.
 */
export function useEditConflict(): {
  choose: (conflict: Conflict) => Promise<ConflictChoice>;
  conflictDialog: ReactNode;
} {
  const [asked, setAsked] = useState<(Conflict & { answer: (choice: ConflictChoice) => void }) | null>(null);
  const choose = (conflict: Conflict) =>
    new Promise<ConflictChoice>((answer) => setAsked({ ...conflict, answer })).finally(() => setAsked(null));
  return {
    choose,
    conflictDialog: asked ? <ConflictDialog conflict={asked} onChoose={asked.answer} /> : null,
  };
}

function ConflictDialog({
  conflict: { name, rows },
  onChoose,
}: {
  conflict: Conflict;
  onChoose: (choice: ConflictChoice) => void;
}) {
  const { text } = useText();
  return (
    <ConfirmDialog
      title={text('common.conflict.title')}
      confirmLabel={text('common.conflict.mine')}
      cancelLabel={text('common.conflict.back')}
      other={{ label: text('common.conflict.stored'), onChoose: () => onChoose('discard') }}
      onConfirm={() => onChoose('mine')}
      onClose={() => onChoose('back')}
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
