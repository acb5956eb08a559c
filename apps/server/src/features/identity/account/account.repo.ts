import type { PageSettings } from '@isotherm/contracts/account';
import type { QuietHoursInput } from '@isotherm/contracts/quiet-hours';
import type { Db } from '../../../platform/db/pool.ts';
import { emailFails } from '../../../platform/messages/bounces.repo.ts';

export interface AccountRow {
  username: string;
  realname: string;
  mobile: string;
  landline: string;
  email: string;
  /** True if several e-mails to this address have bounced. */
  email_fails: boolean;
  address: string;
  description: string;
  avatar: string;
  organization_name: string;
  time_zone: string;
  language: string;
  quiet_hours: QuietHoursInput;
  page_refresh_seconds: PageSettings['pageRefreshInterval'];
  report_alarms: boolean;
  second_factor_confirmed: boolean;
  roles: { code: string | null; name: string }[];
}

export async function findOwn(db: Db, id: number): Promise<AccountRow | null> {
  const { rows } = await db.query<AccountRow>(
    `select a.username, a.realname, a.mobile, a.landline, a.email, a.address, a.description, a.avatar,
            o.name as organization_name, a.time_zone, a.language, a.quiet_hours, a.page_refresh_seconds,
            a.report_alarms, a.second_factor_confirmed,
            ${emailFails('a.email')} as email_fails,
            coalesce((select json_agg(json_build_object('code', r.code, 'name', r.name) order by r.code, r.name)
               from account_role ar join role r on r.id = ar.role_id where ar.account_id = a.id), '[]') as roles
       from account a join organization o on o.id = a.organization_id where a.id = $1`,
    [id],
  );
  return rows[0] ?? null;
}

export interface Contacts {
  realname: string;
  mobile: string;
  landline: string;
  email: string;
  address: string;
  description: string;
}

export async function updateContacts(db: Db, id: number, contacts: Contacts): Promise<void> {
  await db.query(
    `update account set realname = $2, mobile = $3, landline = $4, email = $5, address = $6, description = $7
      where id = $1`,
    [
      id,
      contacts.realname,
      contacts.mobile,
      contacts.landline,
      contacts.email,
      contacts.address,
      contacts.description,
    ],
  );
}

export async function updateMobile(db: Db, id: number, mobile: string): Promise<void> {
  await db.query('update account set mobile = $2 where id = $1', [id, mobile]);
}

export async function updateAvatar(db: Db, id: number, avatar: string): Promise<void> {
  await db.query('update account set avatar = $2 where id = $1', [id, avatar]);
}

export async function updateTimeZone(db: Db, id: number, timeZone: string): Promise<void> {
  await db.query('update account set time_zone = $2 where id = $1', [id, timeZone]);
}

export async function updateLanguage(db: Db, id: number, language: string): Promise<void> {
  await db.query('update account set language = $2 where id = $1', [id, language]);
}

export async function updateQuietHours(db: Db, id: number, hours: QuietHoursInput): Promise<void> {
  await db.query('update account set quiet_hours = $2 where id = $1', [id, hours && JSON.stringify(hours)]);
}

export async function updatePageSettings(db: Db, id: number, settings: PageSettings): Promise<void> {
  await db.query('update account set page_refresh_seconds = $2, report_alarms = $3 where id = $1', [
    id,
    settings.pageRefreshInterval,
    settings.ShowReportWarningInfo,
  ]);
}
