/*
 * The calls of the service worker. They repeat what the contracts say (worker.test.ts compares them), because the contracts
 * would make the worker several times as large.
 */
export const ACKNOWLEDGE = { method: 'POST', path: '/api/link/alarm/acknowledge' } as const;
export const SITE_PATH = '/api/site';
export const SUCCEEDED = '1';
