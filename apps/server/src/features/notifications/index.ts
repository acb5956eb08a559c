export { createSmsNotifications } from './create-sms-notifications.ts';
export { mountMailbox } from './mailbox.routes.ts';
export { createWebPush } from './push/create-web-push.ts';
export { createWechat } from './wechat/create-wechat.ts';
