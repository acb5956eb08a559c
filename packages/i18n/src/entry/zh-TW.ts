import common from '../../locales/zh-TW/common.json' with { type: 'json' };
import login from '../../locales/zh-TW/login.json' with { type: 'json' };
import register from '../../locales/zh-TW/register.json' with { type: 'json' };
import validation from '../../locales/zh-TW/validation.json' with { type: 'json' };
import type { Catalogue } from '../languages.ts';

/** Texts of the pages before login. The file is kept small, because every user waits for it. */
export const catalogue: Catalogue = { ...common, ...login, ...register, ...validation };
