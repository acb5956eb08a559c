export { createAnnouncements } from './create-announcements.ts';
export { createUnreadCount } from './inbox.service.ts';
export { publishNotice } from './notices.ts';
