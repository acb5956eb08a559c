import { type Catalogue, joinCatalogues } from './languages.ts';

/** All texts of this language from the files in its folder, as one chunk of the console. */
export const catalogue: Catalogue = joinCatalogues(
  import.meta.glob<Catalogue>('../locales/zh-TW/*.json', { eager: true, import: 'default' }),
);
