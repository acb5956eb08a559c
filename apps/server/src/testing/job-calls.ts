import type { Step } from './call-steps.ts';
import type { TestServer } from './test-server.ts';

/** Returns the calls about the caller's own jobs. */
export function jobSteps(pool: TestServer['pool']): Record<string, (callerName: string) => Promise<Step>> {
  /** Inserts a job of the caller; for a call without a caller, of a manager. */
  async function made(callerName: string, state: 'waiting' | 'failed'): Promise<Step> {
    const { rows } = await pool.query<{ id: number }>(
      `insert into job (account_id, organization_id, kind, subject, parameters, language, state, error, ordered_at, ended_at)
       select id, organization_id, 'readings-export', 'Matrix', '{}', 'en', $2, case $2 when 'failed' then 'job.failed' end, $3, $3
         from account where username = $1 returning id`,
      // It was ordered long after all others, so that no worker takes it before the call.
      [callerName === 'nobody' ? 'demo.manager' : callerName, state, new Date('2100-01-01')],
    );
    return { params: { id: rows[0]?.id as number }, outside: 'job.not_found' };
  }
  return {
    cancelJob: async (callerName) => ({ ...(await made(callerName, 'waiting')), status: null }),
    // The permission is that of the list (list-exports.db.test.ts).
    orderListExport: async () => ({
      json: { list: 'exportNothing', subject: '', query: {} },
      status: 'job.no_list',
    }),
    retryJob: async (callerName) => ({ ...(await made(callerName, 'failed')), status: null }),
    deleteJob: (callerName) => made(callerName, 'failed'),
    downloadJob: async (callerName) => ({ ...(await made(callerName, 'failed')), status: 'job.no_file' }),
  };
}
