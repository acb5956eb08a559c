export { createAnnouncements } from './create-announcements.ts';
export { listForAll } from './inbox.repo.ts';
export { createUnreadCount, searchAnnouncements } from './inbox.service.ts';
export { publishNotice } from './notices.ts';
