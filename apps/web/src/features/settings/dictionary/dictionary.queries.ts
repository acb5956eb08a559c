import {
  createDictionary,
  deleteDictionary,
  editDictionary,
  listDictionaries,
} from '@isotherm/contracts/dictionary';
import type { BodyOf } from '@isotherm/contracts/route';
import { queryOptions, useQueryClient } from '@tanstack/react-query';
import { call } from '../../../shared/api/client.ts';

export const dictionariesQuery = queryOptions({
  queryKey: ['settings', 'dictionaries'],
  queryFn: ({ signal }) => call(listDictionaries, { signal, quiet: true }),
});

export function useDictionaryChanges() {
  const queries = useQueryClient();
  const afterwards = async <T>(work: Promise<T>): Promise<T> => {
    const result = await work;
    await queries.invalidateQueries({ queryKey: dictionariesQuery.queryKey });
    return result;
  };
  return {
    create: (body: BodyOf<typeof createDictionary>) =>
      afterwards(call(createDictionary, { quiet: true, body })),
    edit: (id: number, body: BodyOf<typeof editDictionary>) =>
      afterwards(call(editDictionary, { quiet: true, params: { id }, body })),
    remove: (id: number) => afterwards(call(deleteDictionary, { quiet: true, params: { id } })),
  };
}
