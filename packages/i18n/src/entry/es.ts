import common from '../../locales/es/common.json' with { type: 'json' };
import login from '../../locales/es/login.json' with { type: 'json' };
import register from '../../locales/es/register.json' with { type: 'json' };
import validation from '../../locales/es/validation.json' with { type: 'json' };
import type { Catalogue } from '../languages.ts';

/** Texts of the pages before login. The file is kept small, because every user waits for it. */
export const catalogue: Catalogue = { ...common, ...login, ...register, ...validation };
