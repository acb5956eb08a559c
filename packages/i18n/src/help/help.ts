import { HELP_SUBJECT_NAMES, type HelpSubject } from '@isotherm/domain/help/subjects';

/** What a page shows, what to do first, and what to watch out for: a sentence each. */
export type PageHelp = readonly [shows: string, first: string, watch: string];

/** The help in one language. */
export interface Help {
  /** By the name of the page. */
  pages: Readonly<Record<string, PageHelp | undefined>>;
  /** Markdown by subject. */
  subjects: Readonly<Record<HelpSubject, string>>;
}

/** Joins the files of a language: the sentences of all pages, and a Markdown file for each subject, by path. */
export function joinHelp(
  pages: Readonly<Record<string, readonly string[]>>,
  files: Readonly<Record<string, string>>,
): Help {
  const byName = new Map(
    Object.entries(files).map(([path, text]) => [path.slice(path.lastIndexOf('/') + 1, -'.md'.length), text]),
  );
  return {
    pages: pages as Help['pages'],
    subjects: Object.fromEntries(
      HELP_SUBJECT_NAMES.map((subject) => [subject, byName.get(subject) ?? '']),
    ) as Help['subjects'],
  };
}

/** Returns the title of a subject: the first line of its text, which is a heading. */
export function titleOf(markdown: string): string {
  return /^# (.+)$/m.exec(markdown)?.[1] ?? '';
}
