import en from '../locales/en/menu.json' with { type: 'json' };
import es from '../locales/es/menu.json' with { type: 'json' };
import zhCN from '../locales/zh-CN/menu.json' with { type: 'json' };
import zhTW from '../locales/zh-TW/menu.json' with { type: 'json' };
import type { Catalogue, Language } from './languages.ts';

/** Titles of the menu in every language at once: a page is found by any of them. */
export const MENU_TITLES: Record<Language, Catalogue> = { en, es, 'zh-CN': zhCN, 'zh-TW': zhTW };
