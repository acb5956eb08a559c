import ts from 'typescript';
import { readFiles, TEST } from './source-files.ts';

const HOME = 'apps/web/src/shared/ui/button.tsx';
const VARIANT = /(^|\s)(button|button-(primary|text|grave|icon|small|large)|link-button)(\s|$)/;

/**
 * Reports class names of buttons outside the component: use `<Button>`, or `buttonClass()` for a link that
 * looks like a button (docs/console-patterns.md).
 */
export function checkButtons(root: string): string[] {
  return readFiles(root, 'apps/web/src', /\.tsx$/)
    .filter(
      ({ path, text }) => path !== HOME && !TEST.test(path) && VARIANT.test(text.replaceAll(/["'`]/g, ' ')),
    )
    .flatMap(({ path, text }) =>
      linesWithVariant(path, text).map((line) => `${path}:${line}: use <Button> or buttonClass()`),
    );
}

/** Returns the line numbers, starting at 1, where a `className` contains a variant. */
function linesWithVariant(file: string, text: string): number[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const lines: number[] = [];
  const look = (node: ts.Node): void => {
    const isText =
      ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node);
    if (isText && VARIANT.test(node.text))
      lines.push(source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1);
    ts.forEachChild(node, look);
  };
  const visit = (node: ts.Node): void => {
    if (ts.isJsxAttribute(node) && node.name.getText(source) === 'className') {
      if (node.initializer) look(node.initializer);
    } else ts.forEachChild(node, visit);
  };
  visit(source);
  return lines;
}
