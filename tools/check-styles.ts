import { CODE, readFiles, type SourceFile, TEST } from './source-files.ts';

const STYLES = 'apps/web/src';
const GENERATED = /\.gen\.css$/;
const CHARTS = 'apps/web/src/shared/chart';
/**
 * Declarations whose sizes must be tokens; pt and mm are allowed as print sizes, em as relative to another
 * size.
 */
const SIZED =
  /(?<![\w-])(font-size|font|border(?:-[a-z]+)*-radius|z-index|(?:row-|column-)?gap|(?:margin|padding)(?:-[a-z]+)*)\s*:\s*([^;}]+)/g;
const IN_PX = /\dpx/;
/** Pattern for spacing in pixels; 1 px is allowed, because it only makes room for a border. */
const SPACE = /(?:[2-9]|\d\d)px/;
/** Options of a canvas that must use the sizes in `CHART`. */
const DRAWN = /\b(?:fontSize|lineWidth|borderRadius|r):\s*\d/g;
const LITERAL: Record<string, RegExp> = {
  // Only the font size is matched; the value after the slash is the line height.
  font: /\dpx\s*\//,
  'z-index': /^-?\d/,
};
const WIDTH = /\b(?:min|max)-width:\s*(\d+)px/g;

/** A variable that a style sheet uses, and the definition of one in any file. */
const USED = /var\((--[\w-]+)\s*[,)]/g;
const DEFINED = /(--[\w-]+)['"`]?\]?\s*[:,]/g;

/**
 * Reports unknown variables, literal font sizes, radii, spacing, z-indexes and breakpoints in style sheets, and
 * literal sizes in charts (tokens.json).
 */
export function checkStyles(root: string, breakpoints: readonly number[]): string[] {
  const sheets = readFiles(root, STYLES, /\.css$/).filter(({ path }) => !GENERATED.test(path));
  const charts = readFiles(root, CHARTS, CODE).filter(({ path }) => !TEST.test(path));
  const known = new Set(
    readFiles(root, STYLES, /\.(css|tsx?)$/).flatMap(({ text }) =>
      [...text.replace(USED, '').matchAll(DEFINED)].map(([, name]) => name),
    ),
  );
  return [
    ...sheets.flatMap((file) => [
      ...literalsIn(file),
      ...widthsIn(file, breakpoints),
      ...unknownIn(file, known),
    ]),
    ...charts.flatMap(drawnIn),
  ];
}

function drawnIn({ path, text }: SourceFile): string[] {
  return [...text.matchAll(DRAWN)].map(
    ({ 0: all, index }) => `${path}:${lineOf(text, index)}: ${all} is no token (tokens.json)`,
  );
}

function literalsIn({ path, text }: SourceFile): string[] {
  return [...text.matchAll(SIZED)].flatMap(({ 0: all, 1: property = '', 2: value = '', index }) =>
    patternOf(property).test(value)
      ? [`${path}:${lineOf(text, index)}: ${all.trim()} is no token (tokens.json)`]
      : [],
  );
}

const patternOf = (property: string) =>
  LITERAL[property] ?? (/gap|margin|padding/.test(property) ? SPACE : IN_PX);

function widthsIn({ path, text }: SourceFile, breakpoints: readonly number[]): string[] {
  return [...text.matchAll(/@(?:media|container)[^{]*/g)].flatMap(({ 0: query, index }) =>
    [...query.matchAll(WIDTH)]
      .filter(([, width]) => !breakpoints.includes(Number(width)))
      .map(([, width]) => `${path}:${lineOf(text, index)}: ${width}px is no breakpoint (tokens.json)`),
  );
}

function unknownIn({ path, text }: SourceFile, known: ReadonlySet<string | undefined>): string[] {
  return [...text.matchAll(USED)].flatMap(({ 1: name, index }) =>
    known.has(name) ? [] : [`${path}:${lineOf(text, index)}: ${name} is not defined`],
  );
}

const lineOf = (text: string, at: number) => text.slice(0, at).split('\n').length;
