import type { AssetRecord } from '@isotherm/contracts/asset-registry';
import { ASSET_FIELD_WORDS } from '@isotherm/i18n/asset-field-words';
import { useOrganizations } from '../../../shared/access/organizations.ts';
import { useText } from '../../../shared/i18n/use-text.ts';
import type { ConflictRow } from '../../../shared/ui/edit-conflict.tsx';
import { type AssetFieldName, fieldText } from './asset-fields.ts';

/** Returns the changes of the current editor next to the values that someone else has stored. */
export function useConflictRows() {
  const { text } = useText();
  const { nodes } = useOrganizations();
  return (
    stored: AssetRecord,
    typed: Readonly<Record<string, unknown>>,
    mine: readonly AssetFieldName[],
  ): ConflictRow[] => {
    const wanted = {
      ...stored,
      ...Object.fromEntries(mine.map((name) => [name, typed[name] ?? null])),
      organizationName: nodes.find(({ id }) => id === typed.organizationId)?.name ?? '',
    } as AssetRecord;
    return mine.map((name) => ({
      label: text(ASSET_FIELD_WORDS[name]),
      stored: fieldText(stored, name, text),
      mine: fieldText(wanted, name, text),
    }));
  };
}
