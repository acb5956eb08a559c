import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Catalogue, joinCatalogues, LANGUAGES, type Language } from './languages.ts';

// Not `new URL(…, import.meta.url)`: in tests of the console, `URL` is the browser's.
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
 * All texts of all languages, for the server. Read from the folders; tools/build.mjs puts the texts themselves into the
 * bundle in the place of this module, so that a built server needs no file beside it.
 */
export const CATALOGUES = Object.fromEntries(
  LANGUAGES.map((language) => [language, readCatalogue(language)]),
) as Record<Language, Catalogue>;
