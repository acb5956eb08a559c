import ts from 'typescript';
import { CODE, readFiles, TEST } from './source-files.ts';

const SERVER = 'apps/server/src';
/** Keywords before a table name. */
const BEFORE_TABLE = new Set(['from', 'join', 'into', 'update', 'using', 'table', 'only', 'truncate']);
/** Keywords after a comma-separated list of tables. */
const AFTER_TABLES = new Set(
  'where group order having limit offset union except intersect set returning values select on window for'.split(
    ' ',
  ),
);
const STATEMENT = /\b(select|insert\s+into|update|delete\s+from|merge\s+into|truncate|lock\s+table)\b/i;

/**
 * Checks the tables distributed by `channel_id` (docs/scale.md) for constructs that a distributed database
 * refuses or executes slowly: statements that combine `alone` tables with others, foreign keys and triggers,
 * keys that do not begin with `channel_id`, and `now()` inside `do update`.
 */
export function checkDistribution(
  root: string,
  alone: readonly string[],
  keyed: readonly string[],
): string[] {
  const migrations = readFiles(root, 'apps/server/migrations', /\.sql$/).map((file) => ({
    path: file.path,
    text: file.text.replace(/--.*$/gm, ''),
  }));
  const tables = new Set(
    migrations.flatMap(({ text }) =>
      [...text.matchAll(/\bcreate\s+(?:unlogged\s+)?table\s+(?:if\s+not\s+exists\s+)?([a-z_]\w*)/gi)].map(
        (match) => (match[1] as string).toLowerCase(),
      ),
    ),
  );
  const problems = keyed
    .filter((table) => !tables.has(table))
    .map((table) => `tools/distributed-tables.ts: there is no table ${table}`);
  for (const { path, text } of migrations)
    for (const problem of problemsOfMigration(text, keyed)) problems.push(`${path}: ${problem}`);
  for (const { path, text } of readFiles(root, SERVER, CODE)) {
    if (TEST.test(path) || !alone.some((table) => text.includes(table))) continue;
    for (const { sql, line } of statementsOf(path, text))
      for (const problem of problemsOfStatement(sql, tables, alone))
        problems.push(`${path}:${line}: ${problem}`);
  }
  return problems;
}

/** Returns the distributed table that a name belongs to; a partition counts as its table. */
function distributedName(name: string, alone: readonly string[]): string | undefined {
  return alone.find(
    (table) => name === table || name === `${table}_default` || new RegExp(`^${table}_\\d`).test(name),
  );
}

function problemsOfStatement(sql: string, tables: ReadonlySet<string>, alone: readonly string[]): string[] {
  const named = tablesNamed(sql);
  const distributed = named.find((name) => distributedName(name, alone));
  if (distributed === undefined) return [];
  const others = named.filter((name) => tables.has(name) && !distributedName(name, alone));
  const problems = [...new Set(others)].map(
    (other) => `names ${other} in one statement with ${distributed}, which may be distributed`,
  );
  if (/\bdo\s+update\b[\s\S]*\b(now\s*\(|current_timestamp\b)/i.test(sql))
    problems.push(`reads the clock inside "do update" of ${distributed}: pass the time in`);
  return problems;
}

/** Returns names at the table positions of a statement, in lower case; some are functions or CTEs. */
function tablesNamed(sql: string): string[] {
  const named: string[] = [];
  const inList = [false];
  let expected = false;
  for (const [token] of sql.toLowerCase().matchAll(/'(?:[^']|'')*'|[a-z_][a-z0-9_$]*|[(),;]/g)) {
    const depth = inList.length - 1;
    if (token === '(') {
      inList.push(false);
      expected = false;
    } else if (token === ')') {
      if (depth > 0) inList.pop();
    } else if (token === ',') {
      expected = inList[depth] as boolean;
    } else if (BEFORE_TABLE.has(token)) {
      expected = true;
      if (token === 'from' || token === 'using') inList[depth] = true;
    } else if (AFTER_TABLES.has(token)) {
      inList[depth] = false;
      expected = false;
    } else if (expected && token !== 'lateral') {
      named.push(token);
      expected = false;
    }
  }
  return named;
}

/**
 * Returns SQL statements in string literals of a source file, with constants of the same file substituted.
 */
function statementsOf(path: string, text: string): { sql: string; line: number }[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const constants = new Map<string, ts.Expression>();
  const literals: ts.Expression[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.initializer)
      constants.set(node.name.text, node.initializer);
    if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) literals.push(node);
    ts.forEachChild(node, visit);
  };
  visit(source);

  const textOf = (node: ts.Expression, depth = 0): string => {
    if (ts.isStringLiteralLike(node)) return node.text;
    if (ts.isTemplateExpression(node))
      return (
        node.head.text +
        node.templateSpans.map((span) => textOf(span.expression, depth) + span.literal.text).join('')
      );
    const constant = ts.isIdentifier(node) ? constants.get(node.text) : undefined;
    return constant && depth < 5 ? textOf(constant, depth + 1) : ' ';
  };
  return literals
    .map((node) => ({
      sql: textOf(node),
      line: source.getLineAndCharacterOfPosition(node.getStart()).line + 1,
    }))
    .filter(({ sql }) => STATEMENT.test(sql));
}

function problemsOfMigration(sql: string, keyed: readonly string[]): string[] {
  const problems: string[] = [];
  const list = keyed.join('|');
  const found = (pattern: string) => [...sql.matchAll(new RegExp(pattern, 'gi'))];
  for (const [, table] of found(`\\breferences\\s+(${list})\\b`))
    problems.push(`a foreign key to ${table}, which may be distributed`);
  for (const [, table] of found(`\\btrigger\\b[^;]*?\\bon\\s+(${list})\\b`))
    problems.push(`a trigger on ${table}, which may be distributed`);
  for (const [, table, body] of found(
    `\\b(?:create\\s+(?:unlogged\\s+)?table(?:\\s+if\\s+not\\s+exists)?|alter\\s+table)\\s+(${list})\\b([^;]*)`,
  )) {
    if (/\breferences\b/i.test(body as string))
      problems.push(`a foreign key of ${table}, which may be distributed`);
    for (const [, columns] of (body as string).matchAll(/\b(?:primary\s+key|unique)\s*\(([^)]*)\)/gi))
      if (!/^\s*channel_id\b/i.test(columns as string))
        problems.push(`a key of ${table} that does not begin with channel_id: (${columns})`);
    for (const [constraint] of (body as string).matchAll(
      /\b\w+\s+\w+[^,(]*\b(?:primary\s+key|unique)\b(?!\s*\()/gi,
    )) {
      const column = constraint.replace(/^(add\s+)?(column\s+)?/i, '');
      if (!/^channel_id\b/i.test(column))
        problems.push(`a key of ${table} that does not begin with channel_id: ${column}`);
    }
  }
  for (const [, table, columns] of found(
    `\\bcreate\\s+unique\\s+index\\b[^;]*?\\bon\\s+(${list})\\b[^;(]*\\(([^;]*)`,
  ))
    if (!/^\s*channel_id\b/i.test(columns as string))
      problems.push(`a unique index of ${table} that does not begin with channel_id`);
  return problems;
}
