import { LANGUAGE_CODES } from '@isotherm/domain/access/languages';
import { z } from 'zod';
import { componentName, label, orNone, routePath } from './fields.ts';
import { defineRoute, id } from './route.ts';

/** Titles by language (requirements: zh-CN, en, zh-TW, es). Missing titles are taken from the catalogue. */
export const titles = z.partialRecord(z.enum(LANGUAGE_CODES), z.string().trim().max(60));
export type Titles = z.output<typeof titles>;

/** A menu entry in the settings. Its children have its id as `parentId`. */
export const menu = z.object({
  id: z.number().int(),
  parentId: z.number().int().nullable(),
  /** Route name. It is also the page name in permission codes, and the key of the cached page. */
  name: z.string(),
  /** Titles that an operator has set. If empty, `menu.<name>` of the catalogue is used. */
  titles,
  path: z.string(),
  redirect: z.string(),
  component: z.string(),
  icon: z.string(),
  affix: z.boolean(),
  breadcrumb: z.boolean(),
  hidden: z.boolean(),
  noCache: z.boolean(),
  /** True for a built-in entry, whose address, component and permission cannot be changed. */
  system: z.boolean(),
  /** Position among its siblings, counted from 0. */
  position: z.number().int(),
  /** Number of operations of the page. */
  operations: z.number().int(),
});
export type Menu = z.output<typeof menu>;

export const menuInput = z.strictObject({
  parentId: id.nullable(),
  name: z
    .string()
    .trim()
    .min(1)
    .max(64)
    .regex(/^[a-z][a-z0-9-]*$/, { error: 'format' }),
  titles,
  path: routePath,
  redirect: orNone(routePath).default(''),
  component: componentName,
  icon: orNone(label(40)).default(''),
  affix: z.boolean().default(false),
  breadcrumb: z.boolean().default(true),
  hidden: z.boolean().default(false),
  noCache: z.boolean().default(false),
});

export const listMenus = defineRoute({
  name: 'listMenus',
  method: 'GET',
  path: '/menu',
  access: 'management-menus:view',
  summary: 'Every menu entry, parents before children, siblings in their order',
  response: z.array(menu),
});

export const createMenu = defineRoute({
  name: 'createMenu',
  method: 'POST',
  path: '/menu',
  access: 'management-menus:edit',
  summary: 'Add a group or a link to the menu',
  body: menuInput,
  response: menu,
});

/**
 * Edits a menu entry. Of built-in entries only titles, icon, hidden, affix, breadcrumb and noCache can be
 * changed (`menu.system`).
 */
export const editMenu = defineRoute({
  name: 'editMenu',
  method: 'PUT',
  path: '/menu/:id',
  access: 'management-menus:edit',
  summary: 'Change a menu entry',
  params: z.object({ id }),
  body: menuInput,
  response: menu,
});

/** Moves a menu entry. Throws `menu.circle` if it would be inside itself. */
export const moveMenu = defineRoute({
  name: 'moveMenu',
  method: 'PUT',
  path: '/menu/:id/position',
  access: 'management-menus:edit',
  summary: 'Put an entry below a parent, at a position among its children',
  params: z.object({ id }),
  body: z.strictObject({ parentId: id.nullable(), position: z.number().int().min(0).max(10_000) }),
  response: z.array(menu),
});

/** Deletes a menu entry. Throws `menu.system`, `menu.has_children`. */
export const deleteMenu = defineRoute({
  name: 'deleteMenu',
  method: 'DELETE',
  path: '/menu/:id',
  access: 'management-menus:edit',
  summary: 'Delete an entry that an operator added',
  params: z.object({ id }),
  response: z.null(),
});
