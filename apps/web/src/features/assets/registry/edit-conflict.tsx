import type { AssetRecord } from '@isotherm/contracts/asset-registry';
import { useOrganizations } from '../../../shared/access/organizations.ts';
import { useText } from '../../../shared/i18n/use-text.ts';
import { ConfirmWithReason } from '../../../shared/ui/confirm-dialog.tsx';
import { TableFrame } from '../../../shared/ui/table-frame.tsx';
import { type AssetFieldName, fieldText, sectionsOf } from './asset-fields.ts';

/** Somebody else saved first: what stands now beside what was typed, and the choice between them. */
export function EditConflict({
  stored,
  typed,
  mine,
  onSaveMine,
  onClose,
}: {
  stored: AssetRecord;
  typed: Readonly<Record<string, unknown>>;
  /** What the second person changed. */
  mine: readonly AssetFieldName[];
  onSaveMine: () => Promise<unknown>;
  onClose: () => void;
}) {
  const { text } = useText();
  const { nodes } = useOrganizations();
  const organizationName = nodes.find(({ id }) => id === typed.organizationId)?.name ?? '';
  const wanted = {
    ...stored,
    ...Object.fromEntries(mine.map((name) => [name, typed[name] ?? null])),
    organizationName,
  } as AssetRecord;
  const labels = new Map(
    sectionsOf(stored.kind).flatMap(({ fields }) => fields.map(({ name, label }) => [name, label] as const)),
  );
  return (
    <ConfirmWithReason
      weight="plain"
      title={text('assets.conflict.title')}
      confirmLabel={text('assets.conflict.save-mine')}
      cancelLabel={text('assets.conflict.take-stored')}
      onConfirm={onSaveMine}
      onClose={onClose}
    >
      <p>{text('assets.conflict.explain', { name: stored.name })}</p>
      <TableFrame label={text('assets.conflict.title')}>
        <thead>
          <tr>
            <th scope="col">{text('assets.conflict.field')}</th>
            <th scope="col">{text('assets.conflict.stored')}</th>
            <th scope="col">{text('assets.conflict.mine')}</th>
          </tr>
        </thead>
        <tbody>
          {mine.map((name) => (
            <tr key={name}>
              <th scope="row">{text(labels.get(name) ?? name)}</th>
              <td>{fieldText(stored, name, text)}</td>
              <td>{fieldText(wanted, name, text)}</td>
            </tr>
          ))}
        </tbody>
      </TableFrame>
    </ConfirmWithReason>
  );
}
