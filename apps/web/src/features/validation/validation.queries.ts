import {
  createValidationStudy,
  createVerifierUnit,
  deleteValidationStudy,
  deleteVerifierUnit,
  editValidationStudy,
  editVerifierUnit,
  getValidationStudy,
  judgeValidationStudy,
  listStudyChannels,
  listVerifierUnits,
  reportValidationStudy,
  type ValidationStudy,
} from '@isotherm/contracts/validation-studies';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../../shared/api/client.ts';
import { crudChanges, useRefreshing } from '../../shared/api/crud-changes.ts';
import type { OptionSource } from '../../shared/ui/form/choice-fields.tsx';
import { saveFile } from '../../shared/ui/save-file.ts';

const KEY = ['validation'] as const;
export const STUDIES_KEY = [...KEY, 'studies'] as const;
export const UNITS_KEY = [...KEY, 'units'] as const;

/**
 * Errors are shown as a toast (the call is not `quiet`), so that a link to a deleted study explains the
 * failure.
 */
export const loadStudy = (id: number, signal: AbortSignal) =>
  call(getValidationStudy, { params: { id }, signal });

export function studyChannelsQuery(assetId: number) {
  return queryOptions({
    queryKey: [...KEY, 'channels', assetId],
    queryFn: ({ signal }) => call(listStudyChannels, { query: { assetId }, signal, quiet: true }),
  });
}

export const unitSource: OptionSource = {
  key: [...UNITS_KEY, 'found'],
  search: async (search) => {
    const { items } = await call(listVerifierUnits, { query: { search, pageSize: 20 }, quiet: true });
    return items.map(({ id, name, qualification }) => ({ value: id, label: name, hint: qualification }));
  },
};

/** Downloads the report of a study. It shows errors itself, as a toast. */
export async function saveReport({ id, asset, name }: ValidationStudy, zone: string): Promise<void> {
  const { content } = await call(reportValidationStudy, { params: { id }, query: { zone } });
  saveFile(`${asset.code} ${name}.pdf`, content);
}

const useCrud = crudChanges(KEY, {
  createStudy: createValidationStudy,
  editStudy: editValidationStudy,
  removeStudy: deleteValidationStudy,
  createUnit: createVerifierUnit,
  editUnit: editVerifierUnit,
  removeUnit: deleteVerifierUnit,
});
const KEYS = [KEY];

/** Mutations of studies and verifier units. The caller shows failures. */
export function useValidationChanges() {
  const after = useRefreshing(KEYS);
  return {
    ...useCrud(),
    /** Errors of this call are shown as a toast, not by the caller. */
    judge: (id: number) => after(call(judgeValidationStudy, { params: { id } })),
  };
}
