import { download, type RouteContract } from '@isotherm/contracts/route';
import { HEADER } from '@isotherm/contracts/signing';
import { PUBLIC } from '@isotherm/domain/access/permissions';
import { z } from 'zod';
import { API_PREFIX } from './mount.ts';

type JsonSchema = Record<string, unknown> & { properties?: Record<string, unknown>; required?: string[] };

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as JsonSchema;
  return rest;
}

function parametersOf(schema: z.ZodType, place: 'path' | 'query'): object[] {
  const { properties = {}, required = [] } = schemaOf(schema, 'input');
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: property,
  }));
}

function headerParameters(route: RouteContract): object[] {
  const names =
    route.access !== PUBLIC
      ? [HEADER.timestamp, HEADER.language, HEADER.username, HEADER.session, HEADER.signature]
      : route.method === 'GET'
        ? [HEADER.language]
        : [HEADER.timestamp, HEADER.language, HEADER.signature];
  return names.map((name) => ({
    name,
    in: 'header',
    required: name !== HEADER.language,
    schema: { type: 'string' },
  }));
}

function contentOf(route: RouteContract): object {
  if (route.response === download)
    return { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } };
  return {
    'application/json': {
      schema: {
        type: 'object',
        required: ['status', 'message', 'data'],
        properties: {
          status: { type: 'string' },
          message: { type: 'string' },
          data: schemaOf(route.response, 'output'),
        },
      },
    },
  };
}

/** Returns the OpenAPI 3.1 document, derived entirely from the contracts. */
export function openApiDocument(routes: readonly RouteContract[], version: string): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    const path = `${API_PREFIX}${route.path.replace(/:(\w+)/g, '{$1}')}`;
    paths[path] ??= {};
    const body = schemaOf(route.body, 'input');
    const hasBody = route.method !== 'GET' && Object.keys(body).length > 0;
    const mediaType = route.encoding === 'multipart' ? 'multipart/form-data' : 'application/json';
    paths[path][route.method.toLowerCase()] = {
      operationId: route.name,
      summary: route.summary,
      'x-access': route.access,
      parameters: [
        ...parametersOf(route.params, 'path'),
        ...parametersOf(route.query, 'query'),
        ...headerParameters(route),
      ],
      ...(hasBody ? { requestBody: { required: true, content: { [mediaType]: { schema: body } } } } : {}),
      responses: {
        200: {
          description: route.response === download ? 'the file' : "status '1'",
          content: contentOf(route),
        },
        default: {
          description: 'status carries an error code, message a sentence in the language asked for',
        },
      },
    };
  }
  return { openapi: '3.1.0', info: { title: 'Isotherm', version }, paths };
}
