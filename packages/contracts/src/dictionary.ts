import { z } from 'zod';
import { label, prose } from './fields.ts';
import { titles } from './menus.ts';
import { defineRoute, id } from './route.ts';

const entryCode = z
  .string()
  .trim()
  .min(1)
  .max(64)
  .regex(/^[a-z0-9][a-z0-9-]*$/, { error: 'format' });

/** A choice of a select field, with its name in four languages. */
export const dictionaryItem = z.object({
  id: z.number().int(),
  value: z.string(),
  titles,
  position: z.number().int(),
  enabled: z.boolean(),
  system: z.boolean(),
});

/** The choices of a select field, such as reasons, sources or kinds. */
export const dictionary = z.object({
  id: z.number().int(),
  code: z.string(),
  titles,
  description: z.string(),
  system: z.boolean(),
  items: z.array(dictionaryItem),
});
export type Dictionary = z.output<typeof dictionary>;

export const listDictionaries = defineRoute({
  name: 'listDictionaries',
  method: 'GET',
  path: '/dictionary',
  access: 'management-dictionary:view',
  summary: 'Every dictionary with its items',
  response: z.array(dictionary),
});

/** Lists the enabled choices in the user's language. Throws `dictionary.not_found`. */
export const getDictionaryOptions = defineRoute({
  name: 'getDictionaryOptions',
  method: 'GET',
  path: '/dictionary/:code/options',
  access: 'signed-in',
  summary: 'Choices of one dictionary in the caller’s language',
  params: z.object({ code: entryCode }),
  response: z.array(z.object({ value: z.string(), label: z.string() })),
});

export const createDictionary = defineRoute({
  name: 'createDictionary',
  method: 'POST',
  path: '/dictionary',
  access: 'management-dictionary:edit',
  summary: 'Add a dictionary',
  body: z.strictObject({ code: entryCode, titles, description: prose(500).default('') }),
  response: dictionary,
});

/**
 * Replaces titles and items. Items are matched by value: new ones are added, missing ones are deleted
 * (built-in ones only disabled).
 */
export const editDictionary = defineRoute({
  name: 'editDictionary',
  method: 'PUT',
  path: '/dictionary/:id',
  access: 'management-dictionary:edit',
  summary: 'Change a dictionary and its items',
  params: z.object({ id }),
  body: z.strictObject({
    titles,
    description: prose(500).default(''),
    items: z
      .array(z.strictObject({ value: label(64), titles, enabled: z.boolean().default(true) }))
      .max(500)
      .refine((items) => new Set(items.map((item) => item.value)).size === items.length, {
        error: 'differs',
      }),
  }),
  response: dictionary,
});

/** Deletes a dictionary. Throws `dictionary.system`. */
export const deleteDictionary = defineRoute({
  name: 'deleteDictionary',
  method: 'DELETE',
  path: '/dictionary/:id',
  access: 'management-dictionary:edit',
  summary: 'Delete a dictionary that an operator added',
  params: z.object({ id }),
  response: z.null(),
});
