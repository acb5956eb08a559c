import { createMenu, deleteMenu, editMenu, listMenus, type Menu, moveMenu } from '@isotherm/contracts/menus';
import {
  createOperation,
  deleteOperation,
  editOperation,
  listOperations,
} from '@isotherm/contracts/operations';
import { queryOptions, useQueryClient } from '@tanstack/react-query';
import { call } from '../../../shared/api/client.ts';
import { crudChanges } from '../../../shared/api/crud-changes.ts';
import { routerInfoQuery } from '../settings.queries.ts';

const MENUS_KEY = ['settings', 'menus'] as const;
const OPERATIONS_KEY = ['settings', 'operations'] as const;

export const menusQuery = queryOptions({
  queryKey: MENUS_KEY,
  queryFn: ({ signal }) => call(listMenus, { signal, quiet: true }),
});

export function operationsQuery(menuId: number) {
  return queryOptions({
    queryKey: [...OPERATIONS_KEY, menuId],
    queryFn: ({ signal }) => call(listOperations, { params: { menuId }, signal, quiet: true }),
  });
}

const useCrud = crudChanges(
  MENUS_KEY,
  { create: createMenu, edit: editMenu, remove: deleteMenu },
  { also: [routerInfoQuery.queryKey], wait: true },
);

/** Mutations of the menu. The sidebar is updated at once, so that a mistake is visible. */
export function useMenuChanges() {
  const queries = useQueryClient();
  return {
    ...useCrud(),
    /** The response contains the whole menu, so no further query is needed; a failure is shown as a toast. */
    async move(id: number, parentId: number | null, position: number) {
      const moved = await call(moveMenu, { params: { id }, body: { parentId, position } });
      queries.setQueryData<Menu[]>(MENUS_KEY, moved);
      void queries.invalidateQueries({ queryKey: routerInfoQuery.queryKey });
    },
  };
}

/** Mutations of the operations of menu entries. */
export const useOperationChanges = crudChanges(
  OPERATIONS_KEY,
  { create: createOperation, edit: editOperation, remove: deleteOperation },
  { also: [MENUS_KEY], wait: true },
);
