import { CODE, readFiles, TEST } from './source-files.ts';

const SERVER = 'apps/server/src';
const WRITE =
  /\b(insert\s+into|update|delete\s+from|merge\s+into|truncate(?:\s+table)?)\s+(?:only\s+)?"?([a-z_][a-z0-9_]*)"?/gi;
/** Keywords after UPDATE that are not tables, as in `on conflict … do update set`, `for update of …`. */
const NO_TABLE = new Set(['set', 'of', 'skip', 'nowait']);

/** Checks that every table of the migrations has one owner, and that no other code writes it. */
export function checkTableOwners(root: string, owners: Record<string, string>): string[] {
  const problems: string[] = [];
  const tables = tablesOf(root);
  for (const table of tables)
    if (!owners[table]) problems.push(`tools/table-owners.ts: ${table} has no owner`);
  for (const table of Object.keys(owners))
    if (!tables.has(table) && table !== 'schema_migration')
      problems.push(`tools/table-owners.ts: there is no table ${table}`);

  for (const { path, text } of readFiles(root, SERVER, CODE)) {
    if (TEST.test(path)) continue;
    const writer = writerOf(path);
    for (const match of text.matchAll(WRITE)) {
      const table = (match[2] ?? '').toLowerCase();
      if (NO_TABLE.has(table) || !owners[table]) continue;
      if (owners[table] !== writer)
        problems.push(
          `${path}:${lineOf(text, match.index)}: writes ${table}, which belongs to ${owners[table]}`,
        );
    }
  }
  return problems;
}

function tablesOf(root: string): Set<string> {
  const tables = new Set<string>();
  for (const { text } of readFiles(root, 'apps/server/migrations', /\.sql$/)) {
    const sql = text.replace(/--.*$/gm, '');
    for (const [, table = ''] of sql.matchAll(
      /\bcreate\s+(?:unlogged\s+)?table\s+(?:if\s+not\s+exists\s+)?([a-z_]\w*)/gi,
    ))
      tables.add(table.toLowerCase());
    for (const [, table = ''] of sql.matchAll(/\bdrop\s+table\s+(?:if\s+exists\s+)?([a-z_]\w*)/gi))
      tables.delete(table.toLowerCase());
  }
  return tables;
}

function writerOf(path: string): string {
  const inside = path.slice(SERVER.length + 1);
  return inside.match(/^features\/([^/]+)\//)?.[1] ?? (inside.startsWith('platform/') ? 'platform' : inside);
}

function lineOf(text: string, index: number): number {
  return text.slice(0, index).split('\n').length;
}
