import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { MENU } from '@isotherm/domain/access/menu';
import { HELP_SUBJECT_NAMES } from '@isotherm/domain/help/subjects';
import { describe, expect, it } from 'vitest';
import { LANGUAGES } from '../languages.ts';
import { joinHelp, titleOf } from './help.ts';

const FOLDER = fileURLToPath(new URL('../../help', import.meta.url));
const read = (path: string) => readFileSync(`${FOLDER}/${path}`, 'utf8');
const PAGES = MENU.flatMap(({ children }) => children);
const ADDRESSES = new Set(PAGES.map(({ path }) => `/${path}`));
const LONGEST = 180;

const linksOf = (markdown: string) => [...markdown.matchAll(/\]\(([^)]*)\)/g)].map(([, href = '']) => href);
/** Headings, list entries and table rows, by which the parts of two languages are compared. */
const partsOf = (markdown: string) =>
  markdown.split('\n').flatMap((line) => /^(#+|-|\d+\.|\|)/.exec(line)?.[1]?.replace(/\d+/, '1') ?? []);

describe.each([...LANGUAGES])('the help in %s', (language) => {
  const pages: Record<string, string[]> = JSON.parse(read(`${language}/pages.json`));

  it('has three short sentences for every page of the catalogue, and none for others', () => {
    expect(Object.keys(pages).sort()).toEqual(PAGES.map(({ name }) => name).sort());
    for (const [name, sentences] of Object.entries(pages)) {
      expect(sentences, name).toHaveLength(3);
      expect(new Set(sentences).size, name).toBe(3);
      for (const sentence of sentences) {
        expect(sentence, name).toMatch(/\S[.。]$/);
        expect(sentence.length, sentence).toBeLessThanOrEqual(LONGEST);
      }
    }
  });

  it('has a text with title and introduction for every subject, and no other files', () => {
    const files = readdirSync(`${FOLDER}/${language}`).filter((file) => file.endsWith('.md'));
    expect(files.sort()).toEqual(HELP_SUBJECT_NAMES.map((subject) => `${subject}.md`).sort());
    for (const file of files) {
      const text = read(`${language}/${file}`);
      expect(titleOf(text), file).not.toBe('');
      expect(text.split('\n\n')[1], file).toMatch(/^[^#]{10,}$/);
    }
  });

  it('links only to pages and subjects that exist', () => {
    for (const subject of HELP_SUBJECT_NAMES)
      for (const href of linksOf(read(`${language}/${subject}.md`))) {
        const name = href.replace('/help/', '');
        const isSubject = HELP_SUBJECT_NAMES.some((each) => each === name);
        expect(isSubject || ADDRESSES.has(href), `${subject}: ${href}`).toBe(true);
      }
  });

  it('has the same parts and links as in English', () => {
    for (const subject of HELP_SUBJECT_NAMES) {
      const [own, english] = [read(`${language}/${subject}.md`), read(`en/${subject}.md`)];
      expect(partsOf(own), subject).toEqual(partsOf(english));
      expect(linksOf(own).sort(), subject).toEqual(linksOf(english).sort());
    }
  });

  it('is not in English, except in English', () => {
    const english: Record<string, string[]> = JSON.parse(read('en/pages.json'));
    for (const [name, sentences] of Object.entries(pages))
      for (const [at, sentence] of sentences.entries())
        expect(sentence === english[name]?.[at], `${name}: ${sentence}`).toBe(language === 'en');
  });
});

it('files are joined to subjects by their name, and a missing one is empty', () => {
  const help = joinHelp({ monitor: ['a', 'b', 'c'] }, { '../../help/en/alarms.md': '# Alarms\n\nText' });
  expect(help.pages.monitor).toEqual(['a', 'b', 'c']);
  expect(titleOf(help.subjects.alarms)).toBe('Alarms');
  expect(titleOf(help.subjects.maps)).toBe('');
});
