import ts from 'typescript';
import { CODE, readFiles } from './source-files.ts';

/** Pattern for a fast first check; `...[a, b].map(f)` spreads the result of a call and is allowed. */
const CANDIDATE = /\.\.\.\s*[{[]/;

/**
 * Reports spreads of literals: `...{ a, b }` is the same as `a, b`, and is written only to keep the
 * formatter from putting every field on its own line (STYLE_GUIDE.md).
 */
export function checkSpreads(root: string): string[] {
  return readFiles(root, '.', CODE)
    .filter(({ text }) => CANDIDATE.test(text))
    .flatMap(({ path, text }) => spreadLiterals(path, text).map((line) => `${path}:${line}`));
}

/** Returns the line numbers, starting at 1, with a spread literal. */
function spreadLiterals(file: string, text: string): number[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const lines: number[] = [];
  const visit = (node: ts.Node): void => {
    const spread = ts.isSpreadAssignment(node) || ts.isSpreadElement(node) ? node.expression : null;
    if (spread && (ts.isObjectLiteralExpression(spread) || ts.isArrayLiteralExpression(spread)))
      lines.push(source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return lines;
}
