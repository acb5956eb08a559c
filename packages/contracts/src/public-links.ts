import { z } from 'zod';

/** Token of a public link (decision 28), as it is in its address. */
export const linkToken = z
  .string()
  .min(16)
  .max(64)
  .regex(/^[\w-]+$/, { error: 'format' });
