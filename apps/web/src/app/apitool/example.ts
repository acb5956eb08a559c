import type { Schema } from './openapi.ts';

const DEEPEST = 8;

/** Returns an example value for a schema: its default, its first choice, or a simple value of its type. */
export function exampleOf(schema: Schema, depth = 0): unknown {
  if (schema.default !== undefined) return schema.default;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  const branch = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].find((each) => each.type !== 'null');
  if (branch) return exampleOf(branch, depth);
  switch (kindOf(schema)) {
    case 'object':
      if (depth >= DEEPEST) return {};
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([name, property]) => [
          name,
          exampleOf(property, depth + 1),
        ]),
      );
    case 'array':
      return schema.items && depth < DEEPEST ? [exampleOf(schema.items, depth + 1)] : [];
    case 'integer':
    case 'number':
      return Math.max(schema.minimum ?? schema.exclusiveMinimum ?? 1, 1);
    case 'boolean':
      return true;
    case 'string':
      return textExample(schema);
    default:
      return null;
  }
}

function kindOf({ type, properties }: Schema): string | undefined {
  if (type === undefined) return properties ? 'object' : undefined;
  return Array.isArray(type) ? type.find((each) => each !== 'null') : type;
}

function textExample({ format, minLength = 0, pattern }: Schema): string {
  if (format === 'date-time') return '2026-11-20T02:12:00.000Z';
  if (format === 'binary') return '@picture.png';
  if (format === 'email') return 'lin.yue@example.org';
  if (pattern === '^\\d{6}$') return '123456';
  return 'text'.padEnd(minLength, 'x');
}

/** Returns a one-line description of a field: type, limits, choices. */
export function describeSchema(schema: Schema): string {
  const branches = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  if (branches.length > 0) return [...new Set(branches.map(describeSchema))].join(' | ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((each) => JSON.stringify(each)).join(' | ');
  const kinds = [schema.type ?? 'any'].flat();
  const kind = kinds
    .map((each) => (each === 'array' && schema.items ? `${describeSchema(schema.items)}[]` : each))
    .join(' | ');
  const bounds = [
    schema.format,
    range(schema.minimum ?? schema.exclusiveMinimum, schema.maximum),
    range(schema.minLength, schema.maxLength),
  ].filter(Boolean);
  return bounds.length > 0 ? `${kind} (${bounds.join(', ')})` : kind;
}

function range(low: number | undefined, high: number | undefined): string {
  const [from, to] = [low, high].map((bound) =>
    bound === undefined || Math.abs(bound) >= Number.MAX_SAFE_INTEGER ? '' : String(bound),
  );
  return from || to ? `${from}…${to}` : '';
}
