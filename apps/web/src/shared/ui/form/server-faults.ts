import { z } from 'zod';
import { ApiError } from '../../api/api-error.ts';

const shape = z.object({ fields: z.array(z.object({ field: z.string(), message: z.string() })) });

/** What the server says of single fields, worded by the server in the reader's language. */
export function serverFaults(error: unknown): Record<string, string> {
  const data = error instanceof ApiError ? shape.safeParse(error.data) : null;
  if (!data?.success) return {};
  return Object.fromEntries(
    data.data.fields.map(({ field, message }) => [field.split('.')[0] ?? field, message]),
  );
}
