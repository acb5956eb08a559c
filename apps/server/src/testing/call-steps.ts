import type { Call, Session } from './test-server.ts';

/** Data of one call in the test that makes all calls (calls.ts). */
export type Step = Partial<Pick<Call, 'query' | 'json' | 'fields'>> & {
  /** Values of `:id` and similar in the path. */
  params?: Record<string, string | number>;
  session?: Session | undefined;
  status?: string | null;
  outside?: string;
  holds?: (data: unknown) => boolean;
};

/** Helper functions for the calls of a feature. */
export interface CallTools {
  /** Returns the id in the only row of a statement's result. */
  one(sql: string, values?: unknown[]): Promise<number>;
  /** Returns a unique word. */
  unique(): string;
  /** Id of the organisation of all targets. */
  demo: number;
  /** A request body with a reason. */
  why: { reason: string };
}
