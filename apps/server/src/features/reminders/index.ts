export { createEndingKeysJob } from './ending-keys.job.ts';
export { createReminderJobs } from './reminders.job.ts';
export { mountReminders } from './reminders.routes.ts';
export { createRemindersService } from './reminders.service.ts';
