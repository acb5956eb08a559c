import {
  createOrganization,
  deleteOrganization,
  editOrganization,
  getOrganization,
  moveOrganization,
} from '@isotherm/contracts/organizations';
import type { BodyOf } from '@isotherm/contracts/route';
import { queryOptions, useQueryClient } from '@tanstack/react-query';
import { ORGANIZATIONS_KEY } from '../../../shared/access/organizations.ts';
import { call } from '../../../shared/api/client.ts';

export function organizationQuery(id: number) {
  return queryOptions({
    queryKey: [...ORGANIZATIONS_KEY, 'one', id],
    queryFn: ({ signal }) => call(getOrganization, { params: { id }, signal, quiet: true }),
  });
}

/** What can be done to organisations. Who calls words the failure. */
export function useOrganizationChanges() {
  const queries = useQueryClient();
  const after = async <T>(answer: Promise<T>): Promise<T> => {
    const done = await answer;
    await queries.invalidateQueries({ queryKey: ORGANIZATIONS_KEY });
    return done;
  };
  return {
    create: (body: BodyOf<typeof createOrganization>) =>
      after(call(createOrganization, { body, quiet: true })),
    edit: (id: number, body: BodyOf<typeof editOrganization>) =>
      after(call(editOrganization, { params: { id }, body, quiet: true })),
    move: (id: number, parentId: number, reason: string) =>
      after(
        call(moveOrganization, {
          params: { id },
          body: { parentId, ...(reason === '' ? {} : { reason }) },
          quiet: true,
        }),
      ),
    remove: (id: number, reason: string) =>
      after(call(deleteOrganization, { params: { id }, body: { reason }, quiet: true })),
  };
}
