/**
 * Settings of a test PostgreSQL. Its data need not survive a crash of the machine, and without fsync the
 * tests run twice as fast. Data of a killed process is not affected.
 */
export const UNSYNCED = { fsync: 'off', full_page_writes: 'off' };
