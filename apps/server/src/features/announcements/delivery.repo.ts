import type { Db, Tx } from '../../platform/db/pool.ts';
import { ADDRESSED } from './audience.repo.ts';

/** Returns whether an announcement is due or e-mails are to be written, for the regular look of many processes. */
export async function isAnythingToDo(db: Db, now: Date): Promise<boolean> {
  const { rows } = await db.query<{ found: boolean }>({
    name: 'announcement-look',
    text: `select exists (select from announcement where state = 'scheduled' and due_at <= $1)
               or exists (select from announcement where mailed_to is not null) as found`,
    values: [now],
  });
  return rows[0]?.found === true;
}

/** Publishes announcements that are due; returns their ids. Each is published once, by whichever process is first. */
export async function publishDue(db: Db, now: Date, most: number): Promise<number[]> {
  const { rows } = await db.query<{ id: number }>(
    `update announcement set state = 'published', published_at = $1, mailed_to = case when email then 0 end
      where id in (select id from announcement where state = 'scheduled' and due_at <= $1
                    order by due_at, id limit $2 for update skip locked)
      returning id`,
    [now, most],
  );
  return rows.map(({ id }) => id);
}

export interface Mailing {
  id: number;
  title: string;
  body: string;
  organizationName: string;
  mailedTo: number;
}

/** Claims an announcement whose e-mails are not all written; null if there is none that another process has not claimed. */
export async function claimMailing(tx: Tx): Promise<Mailing | null> {
  const { rows } = await tx.query<Mailing>(
    `select a.id, a.title, a.body, o.name as "organizationName", a.mailed_to as "mailedTo"
       from announcement a join organization o on o.id = a.organization_id
      where a.mailed_to is not null order by a.id limit 1 for update of a skip locked`,
  );
  return rows[0] ?? null;
}

export interface MailReader {
  id: number;
  email: string;
  language: string;
  organizationId: number;
}

/** Returns the next accounts with an e-mail address that the announcement is for. */
export async function listMailReaders(
  tx: Tx,
  id: number,
  after: number,
  most: number,
): Promise<MailReader[]> {
  const { rows } = await tx.query<MailReader>(
    `select c.id, c.email, c.language, c.organization_id as "organizationId"
       from announcement a cross join account c join organization oc on oc.id = c.organization_id
      where a.id = $1 and c.id > $2 and c.email <> '' and ${ADDRESSED}
      order by c.id limit $3`,
    [id, after, most],
  );
  return rows;
}

/** Notes the last account whose e-mail was written; null if there are no more. */
export async function noteMailed(tx: Tx, id: number, mailedTo: number | null): Promise<void> {
  await tx.query('update announcement set mailed_to = $2 where id = $1', [id, mailedTo]);
}
