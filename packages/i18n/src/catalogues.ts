import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Catalogue, joinCatalogues, LANGUAGES, type Language } from './languages.ts';

// `new URL(…, import.meta.url)` is not used here, because in the tests of the console `URL` is the class of
// the simulated browser.
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
 * All texts of all languages, for the server. They are read from the folders. In a build, tools/build.mjs
 * replaces this module by the texts, so that the built server needs no other files.
 */
export const CATALOGUES = Object.fromEntries(
  LANGUAGES.map((language) => [language, readCatalogue(language)]),
) as Record<Language, Catalogue>;
