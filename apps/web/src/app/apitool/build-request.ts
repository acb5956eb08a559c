import { canonicalParameters, HEADER, requestSignature, sessionProof } from '@isotherm/contracts/signing';
import type { Operation } from './openapi.ts';

/** How a request authenticates: with a user's session, an API key, or not at all. */
export type Proof =
  | { kind: 'session'; username: string; token: string }
  | { kind: 'key'; key: string }
  | { kind: 'none' };

export interface TypedRequest {
  parameters: Readonly<Record<string, string>>;
  /** The JSON body as typed; for a multipart body, a flat JSON object of its fields. */
  body: string;
  proof: Proof;
  salt: string;
  language: string;
  timestamp: number;
}

export interface BuiltRequest {
  method: string;
  /** Path and query of the request. */
  address: string;
  headers: Record<string, string>;
  json: string;
  fields: [string, string][] | null;
  /** The steps of signing as they are displayed; null if nothing is signed. */
  steps: { parameters: string; signedText: string; signature: string; provenText: string | null } | null;
}

/**
 * Builds a request and signs it in the same way as the console (docs/decisions/0004). Throws SyntaxError for
 * a body that is not JSON.
 */
export function buildRequest(operation: Operation, typed: TypedRequest): BuiltRequest {
  const given = (name: string) => typed.parameters[name] ?? '';
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(given(name)));
  const query = operation.parameters
    .filter((parameter) => parameter.in === 'query' && given(parameter.name) !== '')
    .map((parameter): [string, string] => [parameter.name, given(parameter.name)]);
  const isForm = operation.body?.mediaType === 'multipart/form-data';
  const parsed: unknown = operation.body && typed.body.trim() !== '' ? JSON.parse(typed.body) : null;
  const fields = isForm
    ? Object.entries((parsed ?? {}) as Record<string, unknown>)
        .filter(([, value]) => value !== null && value !== undefined)
        .map(([name, value]): [string, string] => [name, String(value)])
    : null;
  const json = !isForm && parsed !== null ? JSON.stringify(parsed) : '';
  const search = new URLSearchParams(query).toString();
  const headers: Record<string, string> = { [HEADER.language]: typed.language };
  if (json !== '') headers['content-type'] = 'application/json';
  const built = {
    method: operation.method,
    address: search === '' ? path : `${path}?${search}`,
    headers,
    json,
    fields,
  };
  if (typed.proof.kind === 'key') {
    headers.authorization = `Bearer ${typed.proof.key}`;
    return { ...built, steps: null };
  }
  const parts = { query, json, fields: fields ?? [] };
  const signature = requestSignature(typed.salt, operation.method, path, parts, typed.timestamp);
  headers[HEADER.timestamp] = String(typed.timestamp);
  headers[HEADER.signature] = signature;
  const parameters = canonicalParameters(parts);
  const signedText = [typed.salt, operation.method, path, parameters, String(typed.timestamp)].join('\n');
  if (typed.proof.kind === 'none')
    return { ...built, steps: { parameters, signedText, signature, provenText: null } };
  const { username, token } = typed.proof;
  headers[HEADER.username] = encodeURIComponent(username);
  headers[HEADER.session] = sessionProof(token, path, username, typed.timestamp, signature);
  const provenText = [path, username, typed.timestamp, signature].join('\n');
  return { ...built, steps: { parameters, signedText, signature, provenText } };
}

/** A shell takes single-quoted text literally, except for the quote itself. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

export function asCurl(origin: string, request: BuiltRequest): string {
  const lines = [
    `curl -X ${request.method} ${quoted(origin + request.address)}`,
    ...Object.entries(request.headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(request.json === '' ? [] : [`--data-raw ${quoted(request.json)}`]),
    // curl would read a value that begins with @ or < from a file.
    ...(request.fields ?? []).map(([name, value]) =>
      value.startsWith('@')
        ? `-F ${quoted(`${name}=${value}`)}`
        : `--form-string ${quoted(`${name}=${value}`)}`,
    ),
  ];
  return lines.join(' \\\n  ');
}
