import {
  createAnnouncementCategory,
  createAnnouncementGroup,
  listAnnouncementGroupRoles,
} from '@isotherm/contracts/announcement-groups';
import {
  announcementFiles,
  createAnnouncement,
  listAnnouncements,
  publishAnnouncement,
} from '@isotherm/contracts/announcements';
import { pdfOf } from './pdf.ts';
import type { Recording } from './recording.ts';

const CATEGORIES = ['Service', 'Operations', 'Training'] as const;

interface DemoAnnouncement {
  title: string;
  category: (typeof CATEGORIES)[number];
  body: string;
  /** Name of an attached PDF file. */
  file?: string;
  forOperators?: boolean;
  isDraft?: boolean;
  pinnedDays?: number;
}

/** The oldest first, as they are published in this order. */
const ANNOUNCEMENTS: readonly DemoAnnouncement[] = [
  {
    title: 'How to hand over a shipment with your phone',
    category: 'Training',
    body: '<p>Scan the code on the waybill, check the record, sign.</p><p>The attached page shows each step.</p>',
    file: 'Hand-over on a phone.pdf',
  },
  {
    title: 'Influenza vaccine deliveries from Monday',
    category: 'Operations',
    body: '<p>Two extra deliveries per day. Please keep fridge <strong>04</strong> and <strong>05</strong> free.</p>',
    forOperators: true,
  },
  {
    title: 'Maintenance on Sunday, 02:00 to 02:30',
    category: 'Service',
    body:
      '<p>We update the database on Sunday from 02:00 to 02:30. The console may not be available for up to 10 minutes in this time.</p>' +
      '<h3>What continues to work</h3><ul><li><p>Devices keep measuring and store their readings. They upload them afterwards.</p></li>' +
      '<li><p>Alarms are evaluated without a break, and messages are sent.</p></li></ul>' +
      '<h3>What you should do</h3><p>Nothing. Questions: <a href="mailto:support@overseas-cloud.example">support@overseas-cloud.example</a>.</p>',
    file: 'Maintenance plan.pdf',
    pinnedDays: 6,
  },
  {
    title: 'Holiday rota for the New Year',
    category: 'Operations',
    body: '<p>Please enter your leave before 1 December.</p>',
    isDraft: true,
  },
];

/** Writes announcements for the users of the demo. None opens as a popup. */
export async function writeAnnouncements({ client, organization, day }: Recording): Promise<void> {
  const { total } = await client.call(listAnnouncements, { query: { pageSize: '1' } });
  if (total > 0) return;
  const organizationId = organization('DEMO');
  const categories = new Map<string, number>();
  for (const name of CATEGORIES) {
    const { id } = await client.call(createAnnouncementCategory, { body: { organizationId, name } });
    categories.set(name, id);
  }
  const roles = await client.call(listAnnouncementGroupRoles);
  const { id: operators } = await client.call(createAnnouncementGroup, {
    body: {
      organizationId,
      name: 'Operators and quality managers',
      organizationIds: [organizationId],
      roleIds: roles
        .filter(({ code }) => code === 'operator' || code === 'quality-manager')
        .map(({ id }) => id),
    },
  });
  for (const each of ANNOUNCEMENTS) {
    const { id } = await client.call(createAnnouncement, {
      body: {
        organizationId,
        title: each.title,
        body: each.body,
        categoryId: categories.get(each.category) ?? null,
        groupId: each.forOperators ? operators : null,
        pinnedUntil: each.pinnedDays === undefined ? null : day(each.pinnedDays),
      },
    });
    if (each.file)
      await client.call(announcementFiles.add, {
        path: announcementFiles.add.path.replace(':id', String(id)),
        body: { file: new File([Uint8Array.from(pdfOf(each.title, each.file))], each.file), name: each.file },
      });
    if (!each.isDraft)
      await client.call(publishAnnouncement, { path: publishAnnouncement.path.replace(':id', String(id)) });
  }
}
