import {
  createDictionary,
  deleteDictionary,
  editDictionary,
  listDictionaries,
} from '@isotherm/contracts/dictionary';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../../../shared/api/client.ts';
import { crudChanges } from '../../../shared/api/crud-changes.ts';

export const dictionariesQuery = queryOptions({
  queryKey: ['settings', 'dictionaries'],
  queryFn: ({ signal }) => call(listDictionaries, { signal, quiet: true }),
});

export const useDictionaryChanges = crudChanges(
  dictionariesQuery.queryKey,
  { create: createDictionary, edit: editDictionary, remove: deleteDictionary },
  { wait: true },
);
