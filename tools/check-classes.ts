import { CODE, readFiles, type SourceFile, TEST } from './source-files.ts';

const STYLES = 'apps/web/src';
const GENERATED = /\.gen\.css$/;
const FEATURE = /\/features\/([^/]+)\//;
const SHARED = 'shared';
/** Class prefixes of the component library. */
const FOREIGN = /^(ant|rc|maplibregl)-/;
/** Prefixes of classes whose last word is computed: `level-${level}`. */
const BUILT = /(?<![\w-])([a-z][\w-]*-)\$\{/g;

interface Selector {
  where: string;
  scope: string;
  classes: readonly string[];
}

/**
 * Checks class names, which are global: the first word of a class belongs to the shared code, to the app or
 * to one feature. A selector of the app or of a feature must contain a class of its own, and may add shared
 * ones. Classes that no component uses are reported.
 */
export function checkClasses(root: string): string[] {
  const selectors = readFiles(root, STYLES, /\.css$/)
    .filter(({ path }) => !GENERATED.test(path))
    .flatMap(selectorsOf);
  return [...foreignWords(selectors), ...unusedClasses(root, selectors)];
}

function selectorsOf({ path, text }: SourceFile): Selector[] {
  const scope = FEATURE.exec(path)?.[1] ?? (path.startsWith(`${STYLES}/shared/`) ? SHARED : 'app');
  const plain = text.replace(/\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, ' '));
  return [...plain.matchAll(/([^{};]+)\{/g)]
    .filter(([, selector = '']) => !selector.trim().startsWith('@'))
    .flatMap(({ 1: list = '', index }) =>
      list.split(/,(?![^(]*\))/).map((selector) => ({
        where: `${path}:${plain.slice(0, index + list.length).split('\n').length}`,
        scope,
        classes: [...selector.matchAll(/\.([a-z][\w-]*)/gi)].flatMap(([, name = '']) =>
          FOREIGN.test(name) ? [] : [name],
        ),
      })),
    );
}

const wordOf = (name: string) => name.split('-')[0] ?? name;

function foreignWords(selectors: readonly Selector[]): string[] {
  const scopes = new Map<string, Set<string>>();
  for (const { scope, classes } of selectors)
    for (const name of classes) scopes.set(wordOf(name), (scopes.get(wordOf(name)) ?? new Set()).add(scope));
  const isShared = (name: string) => scopes.get(wordOf(name))?.has(SHARED) === true;
  return selectors.flatMap(({ where, scope, classes }) => {
    if (scope === SHARED || classes.length === 0) return [];
    const own = classes.filter((name) => !isShared(name));
    if (own.length === 0) return [`${where}: .${classes[0]} is shared; name a class of ${scope} beside it`];
    return own
      .filter((name) => scopes.get(wordOf(name))?.size !== 1)
      .map(
        (name) =>
          `${where}: .${name} begins like classes of ${[...(scopes.get(wordOf(name)) ?? [])].sort().join(' and ')}`,
      );
  });
}

function unusedClasses(root: string, selectors: readonly Selector[]): string[] {
  const code = readFiles(root, STYLES, CODE)
    .filter(({ path }) => !TEST.test(path))
    .map(({ text }) => text)
    .join('\n');
  const words = new Set(code.match(/[a-z][\w-]*/gi));
  const beginnings = [...code.matchAll(BUILT)].map(([, beginning = '']) => beginning);
  const places = new Map<string, string>();
  for (const { classes, where } of selectors)
    for (const name of classes) if (!places.has(name)) places.set(name, where);
  return [...places]
    .filter(([name]) => !words.has(name) && !beginnings.some((beginning) => name.startsWith(beginning)))
    .map(([name, where]) => `${where}: .${name} is used nowhere`);
}
