/** The subset of JSON Schema that the contracts produce. */
export interface Schema {
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  minLength?: number;
  maxLength?: number;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  additionalProperties?: boolean | Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  description?: string;
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  schema: Schema;
}

export interface Operation {
  id: string;
  method: string;
  /** The path, with parameters written as `{name}`. */
  path: string;
  summary: string;
  access: string;
  parameters: Parameter[];
  body: { mediaType: string; schema: Schema } | null;
  response: Schema | null;
}

interface RawOperation {
  operationId: string;
  summary: string;
  'x-access': string;
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses?: Record<string, { content?: Record<string, { schema: Schema }> }>;
}

export interface OpenApiDocument {
  info: { version: string };
  paths: Record<string, Record<string, RawOperation>>;
}

export async function loadDocument(signal: AbortSignal): Promise<OpenApiDocument> {
  const answer = await fetch('/api/openapi.json', { signal });
  if (!answer.ok) throw new Error(`${answer.status} ${answer.statusText}`);
  return (await answer.json()) as OpenApiDocument;
}

export function operationsOf(document: OpenApiDocument): Operation[] {
  return Object.entries(document.paths)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, raw]): Operation => {
        const [body] = Object.entries(raw.requestBody?.content ?? {});
        return {
          id: raw.operationId,
          method: method.toUpperCase(),
          path,
          summary: raw.summary,
          access: raw['x-access'],
          parameters: (raw.parameters ?? []).filter((parameter) => parameter.in !== 'header'),
          body: body ? { mediaType: body[0], schema: body[1].schema } : null,
          response: raw.responses?.['200']?.content?.['application/json']?.schema ?? null,
        };
      }),
    )
    .sort((a, b) => a.path.localeCompare(b.path) || a.method.localeCompare(b.method));
}

/** Returns the group of an operation: the first segment of its path. */
export function groupOf({ path }: Pick<Operation, 'path'>): string {
  return path.split('/')[2] ?? path;
}

export function groupsOf(operations: readonly Operation[]): [string, Operation[]][] {
  const groups = new Map<string, Operation[]>();
  for (const operation of operations) {
    const group = groupOf(operation);
    groups.set(group, [...(groups.get(group) ?? []), operation]);
  }
  return [...groups];
}

/** Returns true if every word of the query occurs in the path, name or summary of the operation. */
export function matches(operation: Operation, query: string): boolean {
  const text = [operation.method, operation.path, operation.id, operation.summary].join(' ').toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
