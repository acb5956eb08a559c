import { listOrganizations, type OrganizationNode } from '@isotherm/contracts/organizations';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { call } from '../api/client.ts';

export const ORGANIZATIONS_KEY = ['identity', 'organizations'] as const;

/** Query for the user's own and subordinate organisations, used by all pickers. */
export const organizationTreeQuery = queryOptions({
  queryKey: [...ORGANIZATIONS_KEY, 'tree'],
  queryFn: ({ signal }) => call(listOrganizations, { signal, quiet: true }),
  staleTime: 60_000,
  // Forms wait for it: without a connection it fails at once, so that they say so.
  networkMode: 'always',
  refetchOnReconnect: true,
});

const NONE: readonly OrganizationNode[] = [];

export function useOrganizations(): { nodes: readonly OrganizationNode[]; loading: boolean } {
  const { data, isPending } = useQuery(organizationTreeQuery);
  const nodes = data ?? NONE;
  return useMemo(() => ({ nodes, loading: isPending }), [nodes, isPending]);
}
