import type { Call, Session } from './test-server.ts';

/** What is particular to a call of the walk over all of them (calls.ts). */
export type Step = Partial<Pick<Call, 'query' | 'json' | 'fields'>> & {
  /** Of `:id` and its like in the path. */
  params?: Record<string, string | number>;
  session?: Session | undefined;
  status?: string | null;
  outside?: string;
  holds?: (data: unknown) => boolean;
};

/** What the calls of a feature are made with. */
export interface CallTools {
  /** The id of the one row that a statement answers. */
  one(sql: string, values?: unknown[]): Promise<number>;
  /** A word that nothing else has. */
  unique(): string;
  /** The organisation that all targets belong to. */
  demo: number;
  /** A body that says why. */
  why: { reason: string };
}
