import { attachmentRoutes } from './attachments.ts';

/** Photos and documents of an alarm, added before or after its end. All routes throw `alarm.not_found`. */
export const alarmFiles = attachmentRoutes({
  name: 'Alarm',
  path: '/alarm/:id',
  view: 'alarm-current:view',
  edit: 'alarm-current:acknowledge',
});
