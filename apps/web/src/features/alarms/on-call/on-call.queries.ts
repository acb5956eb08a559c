import {
  addOnCallChange,
  createOnCall,
  deleteOnCall,
  editOnCall,
  listOnCall,
  listOnCallCandidates,
  removeOnCallChange,
} from '@isotherm/contracts/on-call';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../../../shared/api/client.ts';
import { crudChanges, useRefreshing } from '../../../shared/api/crud-changes.ts';
import type { PeopleSource } from '../people-field.tsx';

const KEY = ['alarms', 'on-call'] as const;
const KEYS = [KEY];

export const onCallQuery = queryOptions({
  queryKey: [...KEY, 'list'],
  queryFn: ({ signal }) => call(listOnCall, { signal, quiet: true }),
});

export const useOnCallChanges = crudChanges(KEY, {
  create: createOnCall,
  edit: editOnCall,
  remove: deleteOnCall,
  add: addOnCallChange,
});

/** Returns a function that removes an override or leave. */
export function useChangeRemoval() {
  const after = useRefreshing(KEYS);
  return (id: number, changeId: number) => after(call(removeOnCallChange, { params: { id, changeId } }));
}

export const ON_CALL_PEOPLE: PeopleSource = {
  key: KEY,
  search: (search) => call(listOnCallCandidates, { query: { search }, quiet: true }),
};
