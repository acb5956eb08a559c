import { type Catalogue, joinCatalogues } from './languages.ts';

/** All texts of this language in one chunk of the console: every file in its folder. */
export const catalogue: Catalogue = joinCatalogues(
  import.meta.glob<Catalogue>('../locales/zh-CN/*.json', { eager: true, import: 'default' }),
);
