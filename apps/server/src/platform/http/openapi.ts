import { download, type RouteContract } from '@isotherm/contracts/route';
import { HEADER } from '@isotherm/contracts/signing';
import { PUBLIC } from '@isotherm/domain/access/permissions';
import { z } from 'zod';
import { inPortions } from '../portions.ts';
import { API_PREFIX } from './mount.ts';

/** Number of routes that are described within a few milliseconds. */
const PORTION = 10;

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

function operationOf(route: RouteContract): object {
  const body = schemaOf(route.body, 'input');
  const hasBody = route.method !== 'GET' && Object.keys(body).length > 0;
  const mediaType = route.encoding === 'multipart' ? 'multipart/form-data' : 'application/json';
  return {
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

/**
 * Returns the OpenAPI 3.1 document, derived entirely from the contracts. It is made in portions, because all of it would keep the
 * event loop from readings for some hundred milliseconds.
 */
export async function openApiDocument(routes: readonly RouteContract[], version: string): Promise<object> {
  const paths: Record<string, Record<string, object>> = {};
  const describe = (portion: readonly RouteContract[]) => {
    for (const route of portion) {
      const path = `${API_PREFIX}${route.path.replace(/:(\w+)/g, '{$1}')}`;
      paths[path] ??= {};
      paths[path][route.method.toLowerCase()] = operationOf(route);
    }
  };
  await inPortions(routes, describe, PORTION);
  return { openapi: '3.1.0', info: { title: 'Isotherm', version }, paths };
}
