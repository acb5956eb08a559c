import { z } from 'zod';
import { defineRoute } from './route.ts';

/** GET /renewalnotice/web (requirements §3, §7): whether to remind the caller of devices that expire. */
export const getRenewalNotice = defineRoute({
  name: 'getRenewalNotice',
  method: 'GET',
  path: '/renewalnotice/web',
  access: 'signed-in',
  summary: 'Whether to show the renewal notice, and how many devices it is about',
  response: z.object({ IsShow: z.boolean(), DeviceExpiredNum: z.number().int() }),
});

/** Not shown again until more devices expire than were expired when it was read. */
export const readRenewalNotice = defineRoute({
  name: 'readRenewalNotice',
  method: 'PUT',
  path: '/renewalnotice/read',
  access: 'signed-in',
  summary: 'Mark the renewal notice read',
  response: z.null(),
});
