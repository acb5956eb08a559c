import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Catalogue, joinCatalogues, LANGUAGES, type Language } from './languages.ts';

// Not `new URL(…, import.meta.url)`: in the console's tests, `URL` is the browser's.
const LOCALES = join(dirname(fileURLToPath(import.meta.url)), '../locales');

function readCatalogue(language: Language): Catalogue {
  const folder = join(LOCALES, language);
  return joinCatalogues(
    Object.fromEntries(
      readdirSync(folder).map((file): [string, Catalogue] => [
        file,
        JSON.parse(readFileSync(join(folder, file), 'utf8')),
      ]),
    ),
  );
}

/**
 * All texts of all languages, for the server. Read from the folders; tools/build.mjs replaces this module by
 * the texts, so that a built server needs no files beside it.
 */
export const CATALOGUES = Object.fromEntries(
  LANGUAGES.map((language) => [language, readCatalogue(language)]),
) as Record<Language, Catalogue>;
