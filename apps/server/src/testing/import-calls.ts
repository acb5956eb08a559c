import type { Step } from './call-steps.ts';
import type { TestServer } from './test-server.ts';

/** Returns the calls about the caller's own imports; each account has one import in progress. */
export function importSteps(pool: TestServer['pool']): Record<string, () => Promise<Step>> {
  const id = '5e1f6a70-3f0c-4c6e-9d8c-2b1a90e7f4aa';
  const running = async (): Promise<Step> => {
    await pool.query(
      `insert into running_import (account_id, id, phase, told_at)
       select account.id, $1, 'reading', now() from account on conflict do nothing`,
      [id],
    );
    return { params: { id } };
  };
  return { getImportProgress: running, cancelImport: running };
}
