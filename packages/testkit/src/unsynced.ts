/**
 * Settings of a test PostgreSQL, which need not survive a crash of the machine: without fsync the tests run
 * twice as fast. What a killed process leaves is not affected.
 */
export const UNSYNCED = { fsync: 'off', full_page_writes: 'off' };
