import { createMenu, deleteMenu, editMenu, listMenus, type Menu, moveMenu } from '@isotherm/contracts/menus';
import {
  createOperation,
  deleteOperation,
  editOperation,
  listOperations,
  type Operation,
} from '@isotherm/contracts/operations';
import type { BodyOf } from '@isotherm/contracts/route';
import { queryOptions, useQueryClient } from '@tanstack/react-query';
import { call } from '../../../shared/api/client.ts';
import { routerInfoQuery } from '../settings.queries.ts';

export const menusQuery = queryOptions({
  queryKey: ['settings', 'menus'],
  queryFn: ({ signal }) => call(listMenus, { signal, quiet: true }),
});

export function operationsQuery(menuId: number) {
  return queryOptions({
    queryKey: ['settings', 'operations', menuId],
    queryFn: ({ signal }) => call(listOperations, { params: { menuId }, signal, quiet: true }),
  });
}

/** What changes the menu. The console's own menu follows at once, so that a mistake is seen where it was made. */
export function useMenuChanges() {
  const queries = useQueryClient();
  const afterwards = async <T>(work: Promise<T>): Promise<T> => {
    const result = await work;
    await queries.invalidateQueries({ queryKey: menusQuery.queryKey });
    void queries.invalidateQueries({ queryKey: routerInfoQuery.queryKey });
    return result;
  };
  return {
    create: (body: BodyOf<typeof createMenu>) => afterwards(call(createMenu, { quiet: true, body })),
    edit: (id: number, body: BodyOf<typeof editMenu>) =>
      afterwards(call(editMenu, { quiet: true, params: { id }, body })),
    remove: (id: number) => afterwards(call(deleteMenu, { quiet: true, params: { id } })),
    async move(id: number, parentId: number | null, position: number) {
      const moved = await call(moveMenu, { params: { id }, body: { parentId, position } });
      queries.setQueryData<Menu[]>(menusQuery.queryKey, moved);
      void queries.invalidateQueries({ queryKey: routerInfoQuery.queryKey });
    },
  };
}

type OperationForm = Omit<BodyOf<typeof editOperation>, 'menuid'>;

export function useOperationChanges(menuId: number) {
  const queries = useQueryClient();
  const afterwards = async <T>(work: Promise<T>): Promise<T> => {
    const result = await work;
    await queries.invalidateQueries({ queryKey: operationsQuery(menuId).queryKey });
    void queries.invalidateQueries({ queryKey: menusQuery.queryKey });
    return result;
  };
  return {
    create: (body: OperationForm) =>
      afterwards(call(createOperation, { quiet: true, params: { menuId }, body })),
    edit: ({ id, menuid }: Operation, body: OperationForm) =>
      afterwards(call(editOperation, { quiet: true, params: { id }, body: { menuid, ...body } })),
    remove: ({ id }: Operation) => afterwards(call(deleteOperation, { quiet: true, params: { id } })),
  };
}
