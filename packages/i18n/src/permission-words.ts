import { MENU, type MenuPage } from '@isotherm/domain/access/menu';
import { PERMISSIONS, pageOf } from '@isotherm/domain/access/permissions';
import { type TextId, textId } from './text-id.ts';

/** Returns a text of the catalogue by its id, in the user's language. */
export type Say = (id: TextId, params?: Record<string, string | number>) => string;

const namesIn = (pages: readonly MenuPage[]): string[] =>
  pages.flatMap(({ name, children }) => [name, ...namesIn(children)]);
const PAGES: ReadonlySet<string> = new Set(namesIn(MENU));
const KNOWN: ReadonlySet<string> = new Set(PERMISSIONS);

/** Returns a permission as text, such as `Users: Edit`; one that an operator added is shown as its code. */
export function permissionWords(code: string, say: Say): string {
  if (!KNOWN.has(code)) return code;
  const page = pageOf(code);
  return say('operations.of-page', {
    page: say(textId(PAGES.has(page) ? `menu.${page}` : `operations.group.${page}`)),
    operation: say(textId(`operations.${code.slice(page.length + 1)}`)),
  });
}
