import { createReceiver, listReceivers } from '@isotherm/contracts/receivers';
import type { Recording } from './recording.ts';

const RECEIVERS = [
  {
    organization: 'DEMO-HOSPITAL',
    name: 'Duty pharmacist',
    mobile: '13900000021',
    email: 'pharmacy.duty@example.com',
    wechat: 'mdc_pharmacy',
    language: 'zh-CN',
    description: 'Shared phone, passed on at 08:00 and 20:00',
  },
  {
    organization: 'DEMO-HOSPITAL',
    name: 'Immunisation clinic',
    mobile: '13900000022',
    email: 'immunisation@example.com',
    language: 'zh-CN',
    description: '',
  },
  {
    organization: 'DEMO-WAREHOUSE',
    name: 'Warehouse control room',
    mobile: '13900000023',
    email: 'control.room@example.com',
    language: 'zh-CN',
    description: 'Staffed day and night',
  },
  {
    organization: 'DEMO-WAREHOUSE',
    name: 'Refrigeration service, Huadong',
    countryCode: '+852',
    mobile: '51000024',
    email: 'service@example.org',
    language: 'zh-TW',
    timeZone: 'Asia/Hong_Kong',
    description: 'Maintenance contract for the cold stores',
  },
  {
    organization: 'DEMO-FLEET',
    name: 'Fleet dispatch',
    mobile: '13900000025',
    email: 'dispatch@example.com',
    wechat: 'huadong_dispatch',
    language: 'zh-CN',
    description: '',
  },
  {
    organization: 'DEMO',
    name: 'Regional quality office',
    email: 'quality@example.com',
    language: 'en',
    description: 'Weekdays only',
  },
] as const;

/** Creates the people and addresses to which alarms are sent. */
export async function registerReceivers({ client, organization }: Recording): Promise<void> {
  const { total } = await client.call(listReceivers, { query: { pageSize: '1' } });
  if (total > 0) return;
  for (const { organization: code, ...fields } of RECEIVERS)
    await client.call(createReceiver, { body: { ...fields, organizationId: organization(code) } });
}
