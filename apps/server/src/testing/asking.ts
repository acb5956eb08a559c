import { expect } from 'vitest';
import type { Call, Session, TestServer } from './test-server.ts';

/** Makes calls by a given user, for tests about the responses. */
export interface Asking {
  /** Returns the data of a response that must be successful. */
  ask<T>(call: Call): Promise<T>;
  /** Returns the status of any response. */
  refusal(call: Call): Promise<string>;
  /** Returns audit entries of an object, oldest first. */
  audited(objectKind: string, objectId: number): Promise<{ action: string; before: object; after: object }[]>;
}

export function asking(server: TestServer, session: Session): Asking {
  return {
    async ask<T>(call: Call) {
      const answer = await server.call<T>({ session, ...call });
      expect(answer).toMatchObject({ status: '1' });
      return answer.data;
    },
    refusal: async (call) => (await server.call({ session, ...call })).status,
    async audited(objectKind, objectId) {
      const { rows } = await server.pool.query(
        `select action, before, after from audit_entry where object_kind = $1 and object_id = $2 order by seq`,
        [objectKind, String(objectId)],
      );
      return rows;
    },
  };
}
