import type { Call, Session } from './test-server.ts';

/** Data of one call in the walk over all of them (calls.ts). */
export type Step = Partial<Pick<Call, 'query' | 'json' | 'fields'>> & {
  /** Values of `:id` and similar in the path. */
  params?: Record<string, string | number>;
  session?: Session | undefined;
  status?: string | null;
  outside?: string;
  holds?: (data: unknown) => boolean;
};

/** Tools for the calls of a feature. */
export interface CallTools {
  /** The id in the only row of a statement's result. */
  one(sql: string, values?: unknown[]): Promise<number>;
  /** A unique word. */
  unique(): string;
  /** The organisation of all targets. */
  demo: number;
  /** A body with a reason. */
  why: { reason: string };
}
