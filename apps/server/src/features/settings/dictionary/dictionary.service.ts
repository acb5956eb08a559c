import type { Dictionary, editDictionary } from '@isotherm/contracts/dictionary';
import { AppError } from '@isotherm/contracts/errors';
import type { Titles } from '@isotherm/contracts/menus';
import type { Language } from '@isotherm/i18n/languages';
import type pg from 'pg';
import type { z } from 'zod';
import type { Audit } from '../../../platform/audit/audit.ts';
import { type Db, isDuplicate, type Tx, transaction } from '../../../platform/db/pool.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import {
  deleteDictionaryRow,
  ensureDictionary,
  findDictionary,
  insertDictionary,
  listDictionaryRows,
  replaceItems,
  updateDictionary,
} from './dictionary.repo.ts';
import { DICTIONARY_SEEDS } from './dictionary-seeds.ts';

type DictionaryForm = z.output<(typeof editDictionary)['body']>;

export interface DictionaryService {
  list(): Promise<Dictionary[]>;
  options(code: string, language: Language): Promise<{ value: string; label: string }[]>;
  create(caller: Caller, fields: { code: string; titles: Titles; description: string }): Promise<Dictionary>;
  edit(caller: Caller, id: number, form: DictionaryForm): Promise<Dictionary>;
  remove(caller: Caller, id: number): Promise<null>;
}

export function createDictionaryService(pool: pg.Pool, audit: Pick<Audit, 'record'>): DictionaryService {
  async function find(db: Db, id: number): Promise<Dictionary> {
    const dictionary = await findDictionary(db, { id });
    if (!dictionary) throw new AppError('dictionary.not_found');
    return dictionary;
  }

  return {
    list: () => listDictionaryRows(pool),
    /** Throws `dictionary.not_found`. */
    async options(code, language) {
      const dictionary = await findDictionary(pool, { code });
      if (!dictionary) throw new AppError('dictionary.not_found');
      return dictionary.items
        .filter((item) => item.enabled)
        .map(({ value, titles }) => ({ value, label: titleIn(titles, language) ?? value }));
    },
    /** Throws `dictionary.code_taken`. */
    async create(caller, fields) {
      try {
        return await transaction(pool, async (tx) => {
          const made = await find(tx, await insertDictionary(tx, fields));
          await audit.record(tx, caller, { action: 'create', ...objectOf(made, caller), after: made });
          return made;
        });
      } catch (error) {
        if (isDuplicate(error, 'dictionary_code_key'))
          throw new AppError('dictionary.code_taken', { code: fields.code }, { cause: error });
        throw error;
      }
    },
    /** Throws `dictionary.not_found`. */
    edit: (caller, id, form) =>
      transaction(pool, async (tx) => {
        const before = await find(tx, id);
        await updateDictionary(tx, id, form);
        await replaceItems(tx, id, form.items);
        const after = await find(tx, id);
        await audit.record(tx, caller, { action: 'change', ...objectOf(after, caller), before, after });
        return after;
      }),
    /** Throws `dictionary.not_found|system`. */
    remove: (caller, id) =>
      transaction(pool, async (tx) => {
        const before = await find(tx, id);
        if (before.system) throw new AppError('dictionary.system');
        await deleteDictionaryRow(tx, id);
        await audit.record(tx, caller, { action: 'delete', ...objectOf(before, caller), before });
        return null;
      }),
  };
}

/** Creates the built-in dictionaries; called at every start. */
export async function seedDictionaries(tx: Tx): Promise<void> {
  for (const seed of DICTIONARY_SEEDS) await ensureDictionary(tx, seed);
}

/**
 * Maps each Chinese script to the other one as its fallback, because readers of either understand the other
 * better than English.
 */
const STAND_IN: Partial<Record<Language, Language>> = { 'zh-CN': 'zh-TW', 'zh-TW': 'zh-CN' };

function titleIn(titles: Titles, language: Language): string | undefined {
  const near = STAND_IN[language];
  return (
    titles[language] || (near && titles[near]) || titles.en || Object.values(titles).find((title) => title)
  );
}

function objectOf(dictionary: Dictionary, caller: Caller) {
  return {
    objectKind: 'dictionary',
    objectId: dictionary.id,
    objectName: dictionary.code,
    organizationPath: caller.scope,
  };
}
