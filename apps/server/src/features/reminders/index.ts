export { createWarningJob } from './balance-warnings/balance-warnings.job.ts';
export { mountBalanceWarnings } from './balance-warnings/balance-warnings.routes.ts';
export { createBalanceWarningsService } from './balance-warnings/balance-warnings.service.ts';
export { createEndingKeysJob } from './ending-keys.job.ts';
export { createReminderJobs } from './reminders.job.ts';
export { mountReminders } from './reminders.routes.ts';
export { createRemindersService } from './reminders.service.ts';
