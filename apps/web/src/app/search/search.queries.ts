import { getHeldPermissions, searchRecords } from '@isotherm/contracts/search';
import { LEAST_LETTERS, MOST_LETTERS } from '@isotherm/domain/search/kinds';
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { PAGE_PERMISSIONS_KEY } from '../../shared/access/permissions.ts';
import { call } from '../../shared/api/client.ts';
import { useSettled } from '../../shared/ui/form/use-settled.ts';

/** All permissions of the user, by which actions are offered. */
export const heldPermissionsQuery = queryOptions({
  queryKey: [...PAGE_PERMISSIONS_KEY, 'all'],
  queryFn: ({ signal }) => call(getHeldPermissions, { signal, quiet: true }),
  staleTime: 60_000,
  retry: false,
});

/** Searches the records of every kind that the user may see, a moment after the last letter was typed. */
export function useRecords(query: string) {
  const typed = query.trim();
  const search = useSettled(typed);
  const asks = [...search].length >= LEAST_LETTERS && typed !== '';
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['search', search],
    queryFn: ({ signal }) =>
      call(searchRecords, { query: { search: search.slice(0, MOST_LETTERS) }, signal, quiet: true }),
    enabled: asks,
    placeholderData: keepPreviousData,
    retry: false,
  });
  return {
    found: asks && !error ? data : undefined,
    error: asks && !isFetching ? error : null,
    retry: () => void refetch(),
    /** True if the text is too short to search records. */
    isShort: typed !== '' && [...typed].length < LEAST_LETTERS,
    /** True while the results may still change. */
    waits: [...typed].length >= LEAST_LETTERS && (search !== typed || isFetching),
  };
}
