export { mountMailbox } from './mailbox.routes.ts';
