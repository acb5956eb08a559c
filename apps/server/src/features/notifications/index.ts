export { createSmsNotifications } from './create-sms-notifications.ts';
export { mountMailbox } from './mailbox.routes.ts';
