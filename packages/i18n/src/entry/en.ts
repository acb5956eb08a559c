import common from '../../locales/en/common.json' with { type: 'json' };
import login from '../../locales/en/login.json' with { type: 'json' };
import register from '../../locales/en/register.json' with { type: 'json' };
import validation from '../../locales/en/validation.json' with { type: 'json' };
import type { Catalogue } from '../languages.ts';

/** Texts of the pages before login. The file is kept small, because every user waits for it. */
export const catalogue: Catalogue = { ...common, ...login, ...register, ...validation };
