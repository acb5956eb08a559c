/**
 * Settings of a PostgreSQL that need not outlive its machine: nothing of a test does, and without fsync the suite is
 * twice as fast. What a process leaves behind when it is killed is not touched by them.
 */
export const UNSYNCED = { fsync: 'off', full_page_writes: 'off' };
