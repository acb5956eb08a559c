export { createSmsNotifications } from './create-sms-notifications.ts';
export { mountMailbox } from './mailbox.routes.ts';
export { createPush } from './push/create-push.ts';
export { createWechat } from './wechat/create-wechat.ts';
