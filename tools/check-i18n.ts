import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type MessageFormatElement, parse, TYPE } from '@formatjs/icu-messageformat-parser';
import { CODE, readFiles, type SourceFile, TEST } from './source-files.ts';

const LOCALES = 'packages/i18n/locales';
const FROM = 'en';
/** Matches two or more words of Latin letters: a sentence, not a unit or a name. */
const SENTENCE = /[A-Za-z]{2,}[^A-Za-z]+[A-Za-z]{2,}/;

/**
 * Prefixes of ids whose texts may be in the file of any feature: page titles, errors, and texts of the audit
 * log.
 */
const OF_ANY_FEATURE = /^(menu|errors|logs\.kind)\./;

type Catalogue = Map<string, { file: string; message: string }>;

/**
 * Compares the catalogues with each other and with the sources: the same files and ids in every language,
 * ids sorted, messages that parse and use the same values, no untranslated sentence, no unused or unknown
 * id, and a message for each error code.
 */
export function checkI18n(root: string, errorCodes: readonly string[]): string[] {
  const problems: string[] = [];
  const languages = readdirSync(join(root, LOCALES)).sort();
  const catalogues = new Map(
    languages.map((language) => [language, readCatalogue(root, language, problems)]),
  );
  const english = catalogues.get(FROM) ?? new Map();
  for (const [language, catalogue] of catalogues) {
    if (language !== FROM) compare(language, catalogue, english, problems);
  }
  checkUse(root, english, errorCodes, problems);
  return problems;
}

function readCatalogue(root: string, language: string, problems: string[]): Catalogue {
  const catalogue: Catalogue = new Map();
  for (const { path, text } of readFiles(root, `${LOCALES}/${language}`, /\.json$/)) {
    const file = path.slice(`${LOCALES}/${language}/`.length);
    const messages = JSON.parse(text) as Record<string, string>;
    const ids = Object.keys(messages);
    const misplaced = ids.find((id, i) => i > 0 && id < (ids[i - 1] ?? ''));
    if (misplaced) problems.push(`${path}: ${misplaced} is not in its place (ids are sorted)`);
    for (const [id, message] of Object.entries(messages)) {
      if (!id.startsWith(file.replace('.json', '.')) && !OF_ANY_FEATURE.test(id))
        problems.push(`${path}: ${id} belongs into another file`);
      catalogue.set(id, { file, message });
    }
  }
  return catalogue;
}

function compare(language: string, catalogue: Catalogue, english: Catalogue, problems: string[]): void {
  for (const [id, { file, message }] of english) {
    const where = `${LOCALES}/${language}/${file}: ${id}`;
    const translated = catalogue.get(id);
    if (!translated) {
      problems.push(`${where} is missing`);
      continue;
    }
    if (translated.file !== file) problems.push(`${where} stands in ${translated.file}`);
    const [wanted, found] = [valuesOf(message), valuesOf(translated.message)];
    if (typeof wanted === 'string')
      problems.push(`${LOCALES}/${FROM}/${file}: ${id} does not parse: ${wanted}`);
    else if (typeof found === 'string') problems.push(`${where} does not parse: ${found}`);
    else if (wanted.join() !== found.join())
      problems.push(`${where} names {${found.join('} {')}} where English names {${wanted.join('} {')}}`);
    if (translated.message === message && SENTENCE.test(message.replace(/\{[^}]*\}/g, '')))
      problems.push(`${where} is still English`);
  }
  for (const [id, { file }] of catalogue)
    if (!english.has(id)) problems.push(`${LOCALES}/${language}/${file}: ${id} is not in English`);
}

/** Returns the names of the values in a message, sorted; or the parse error. */
function valuesOf(message: string): string[] | string {
  const names = new Set<string>();
  const walk = (elements: MessageFormatElement[]) => {
    for (const element of elements) {
      if (element.type === TYPE.literal || element.type === TYPE.pound) continue;
      names.add(element.value);
      if (element.type === TYPE.tag) walk(element.children);
      if (element.type === TYPE.plural || element.type === TYPE.select)
        for (const option of Object.values(element.options)) walk(option.value);
    }
  };
  try {
    walk(parse(message));
    return [...names].sort();
  } catch (error) {
    return (error as Error).message;
  }
}

function checkUse(root: string, english: Catalogue, errorCodes: readonly string[], problems: string[]): void {
  const sources = ['apps', 'packages']
    .flatMap((folder) => readFiles(root, folder, CODE))
    .filter(({ path }) => !TEST.test(path));
  const errorIds = new Set(errorCodes.map((code) => `errors.${code}`));
  const { literals, prefixes } = idsIn(sources);
  for (const id of errorIds) if (!english.has(id)) problems.push(`error code without a sentence: ${id}`);
  for (const [id, { file }] of english) {
    const used = literals.has(id) || errorIds.has(id) || prefixes.some((prefix) => id.startsWith(prefix));
    if (!used || (id.startsWith('errors.') && !errorIds.has(id)))
      problems.push(`${LOCALES}/${FROM}/${file}: ${id} is used nowhere`);
  }
  const files = new Set([...english.values()].map(({ file }) => file.replace('.json', '')));
  for (const [id, path] of literals) {
    const [feature = ''] = id.split('.');
    if (files.has(feature) && !english.has(id) && !errorCodes.includes(id))
      problems.push(`${path}: ${id} is in no catalogue`);
  }
}

/** Returns quoted ids, and the fixed prefixes of composed ids: `menu.${name}`. */
function idsIn(sources: SourceFile[]): { literals: Map<string, string>; prefixes: string[] } {
  const literals = new Map<string, string>();
  const prefixes = new Set<string>();
  for (const { path, text } of sources) {
    for (const [, id = ''] of text.matchAll(/['"`]([a-z][a-z0-9-]*(?:\.[a-z0-9_-]+)+)['"`]/g))
      literals.set(id, path);
    for (const [, prefix = ''] of text.matchAll(/`([a-z][a-z0-9-]*\.[a-z0-9.-]*)\$\{/g)) prefixes.add(prefix);
  }
  return { literals, prefixes: [...prefixes] };
}
