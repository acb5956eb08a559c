import { z } from 'zod';
import { label, operationCode, orNone, prose } from './fields.ts';
import { defineRoute, id } from './route.ts';

/** An operation of a page (requirements §3). Its code is the permission that is granted to roles. */
export const operation = z.object({
  id: z.number().int(),
  menuid: z.number().int(),
  code: z.string(),
  fullname: z.string(),
  nameEnglish: z.string(),
  nameSpanish: z.string(),
  sortcode: z.number().int(),
  description: z.string(),
  /** True for a built-in operation. Its code cannot be changed, and it cannot be deleted. */
  system: z.boolean(),
});
export type Operation = z.output<typeof operation>;

const operationFields = {
  code: operationCode,
  fullname: label(60),
  nameEnglish: orNone(label(60)).default(''),
  nameSpanish: orNone(label(60)).default(''),
  sortcode: z.coerce.number().int().min(0).max(100_000).default(0),
  description: prose(500).default(''),
};

interface OperationTree {
  /**
   * Key of the node: `menu:<id>`, `menu:<page>` for a group whose page is not in the menu, or the permission
   * code.
   */
  key: string;
  /** Text key of a built-in entry; otherwise the title itself. */
  title: string;
  titles?: Record<string, string> | undefined;
  /** True if the role has the permission; only for operations. */
  checked: boolean;
  /** True if the user may grant the permission. */
  grantable: boolean;
  children?: OperationTree[] | undefined;
}

export type { OperationTree };

export const operationTree: z.ZodType<OperationTree> = z.lazy(() =>
  z.object({
    key: z.string(),
    title: z.string(),
    titles: z.record(z.string(), z.string()).optional(),
    checked: z.boolean(),
    grantable: z.boolean(),
    children: z.array(operationTree).optional(),
  }),
);

/** Reads all pages with their operations for a role. `id` is the role's id; 0 for a new role. */
export const getOperationTree = defineRoute({
  name: 'getOperationTree',
  method: 'GET',
  path: '/operation/tree/:id',
  access: 'signed-in',
  summary: 'Pages and operations, and which of them a role holds',
  params: z.object({ id: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER) }),
  response: z.array(operationTree),
});

export const listOperations = defineRoute({
  name: 'listOperations',
  method: 'GET',
  path: '/operation/list/:menuId',
  access: 'management-menus:view',
  summary: 'Operations of a page',
  params: z.object({ menuId: id }),
  response: z.array(operation),
});

export const createOperation = defineRoute({
  name: 'createOperation',
  method: 'POST',
  path: '/operation/:menuId',
  access: 'management-menus:edit',
  summary: 'Add an operation to a page',
  params: z.object({ menuId: id }),
  encoding: 'multipart',
  body: z.strictObject(operationFields),
  response: operation,
});

export const getOperation = defineRoute({
  name: 'getOperation',
  method: 'GET',
  path: '/operation/info/:id',
  access: 'management-menus:view',
  summary: 'One operation',
  params: z.object({ id }),
  response: operation,
});

/** Edits an operation. Throws `operation.system` if the code of a built-in operation would change. */
export const editOperation = defineRoute({
  name: 'editOperation',
  method: 'PUT',
  path: '/operation/:id',
  access: 'management-menus:edit',
  summary: 'Change an operation',
  params: z.object({ id }),
  encoding: 'multipart',
  body: z.strictObject({ menuid: id, ...operationFields }),
  response: operation,
});

/** Deletes an operation and removes it from all roles. Throws `operation.system`. */
export const deleteOperation = defineRoute({
  name: 'deleteOperation',
  method: 'DELETE',
  path: '/operation/:id',
  access: 'management-menus:edit',
  summary: 'Delete an operation that an operator added',
  params: z.object({ id }),
  response: z.null(),
});
