import { readFiles, type SourceFile } from './source-files.ts';

const STYLES = 'apps/web/src';
const GENERATED = /\.gen\.css$/;
/** Declarations that must use tokens; pt and mm are print sizes, em is relative to another size. */
const SIZED = /(?<![\w-])(font-size|font|border(?:-[a-z]+)*-radius|z-index)\s*:\s*([^;}]+)/g;
const IN_PX = /\dpx/;
const LITERAL: Record<string, RegExp> = {
  // The value after the slash is the line height.
  font: /\dpx\s*\//,
  'z-index': /^-?\d/,
};
const WIDTH = /\b(?:min|max)-width:\s*(\d+)px/g;

/** Reports literal font sizes, radii, z-indexes and breakpoints in style sheets (tokens.json). */
export function checkStyles(root: string, breakpoints: readonly number[]): string[] {
  return readFiles(root, STYLES, /\.css$/)
    .filter(({ path }) => !GENERATED.test(path))
    .flatMap((file) => [...literalsIn(file), ...widthsIn(file, breakpoints)]);
}

function literalsIn({ path, text }: SourceFile): string[] {
  return [...text.matchAll(SIZED)].flatMap(({ 0: all, 1: property = '', 2: value = '', index }) =>
    (LITERAL[property] ?? IN_PX).test(value)
      ? [`${path}:${lineOf(text, index)}: ${all.trim()} is no token (tokens.json)`]
      : [],
  );
}

function widthsIn({ path, text }: SourceFile, breakpoints: readonly number[]): string[] {
  return [...text.matchAll(/@(?:media|container)[^{]*/g)].flatMap(({ 0: query, index }) =>
    [...query.matchAll(WIDTH)]
      .filter(([, width]) => !breakpoints.includes(Number(width)))
      .map(([, width]) => `${path}:${lineOf(text, index)}: ${width}px is no breakpoint (tokens.json)`),
  );
}

const lineOf = (text: string, at: number) => text.slice(0, at).split('\n').length;
