import { z } from 'zod';
import { ApiError } from '../../api/api-error.ts';

const shape = z.object({ fields: z.array(z.object({ field: z.string(), message: z.string() })) });

/** Returns the errors of single fields from the server, as text in the user's language. */
export function serverFaults(
  error: unknown,
  fieldOfCode: Readonly<Record<string, string>>,
): Record<string, string> {
  if (!(error instanceof ApiError)) return {};
  const data = shape.safeParse(error.data);
  if (data.success)
    return Object.fromEntries(
      data.data.fields.map(({ field, message }) => [field.split('.')[0] ?? field, message]),
    );
  const field = fieldOfCode[error.code];
  return field === undefined ? {} : { [field]: error.message };
}
