import { z } from 'zod';
import type { FileDigest } from './backup.repo.ts';
import { DamagedBackupError } from './container.ts';

const identifier = z.string().regex(/^[a-z_][a-z0-9_]*$/);

const header = z.object({
  format: z.literal(1),
  /** Release of the program that wrote the backup. */
  release: z.number().int(),
  migrations: z.array(z.string()),
  createdAt: z.iso.datetime(),
  /** Version of PostgreSQL that the backup was made from. */
  postgres: z.string(),
  tables: z.array(z.object({ name: identifier, columns: z.array(identifier) })),
  partitions: z.array(
    z.object({
      table: identifier,
      name: identifier,
      bound: z.string().regex(/^(DEFAULT|FOR VALUES FROM \('[^']+'\) TO \('[^']+'\))$/),
    }),
  ),
  /** Names of the files of the data folder. */
  files: z.array(z.string()),
});
export type BackupHeader = z.infer<typeof header>;

const closing = z.object({
  sequences: z.array(z.object({ name: identifier, value: z.string(), isCalled: z.boolean() })),
  files: z.array(
    z.object({
      table: identifier,
      column: identifier,
      files: z.number().int(),
      sha256: z.string().nullable(),
    }),
  ),
});

/** The result of a backup or a restore. */
export interface BackupReport {
  header: BackupHeader;
  /** Number of rows by table. */
  rows: Record<string, number>;
  files: FileDigest[];
  /** Size of the file. */
  bytes: number;
}

export function readHeader(content: unknown): BackupHeader {
  const { format } = (content ?? {}) as { format?: unknown };
  if (typeof format === 'number' && format > 1)
    throw new DamagedBackupError(`its format ${format} is newer than this program, which knows 1`);
  return checked(header, content);
}

export function readClosing(content: unknown): z.infer<typeof closing> {
  return checked(closing, content);
}

function checked<T>(schema: z.ZodType<T>, content: unknown): T {
  const parsed = schema.safeParse(content);
  if (!parsed.success) throw new DamagedBackupError('its description is incomplete');
  return parsed.data;
}
