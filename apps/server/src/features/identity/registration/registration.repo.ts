import type { Registration, RegistrationSettings } from '@isotherm/contracts/registration';
import { DEFAULT_LANGUAGE, type Language } from '@isotherm/i18n/languages';
import { containing } from '../../../platform/db/like.ts';
import type { Db, Tx } from '../../../platform/db/pool.ts';

export async function readSettings(db: Db): Promise<RegistrationSettings> {
  const { rows } = await db.query<RegistrationSettings>(
    `select enabled, approval, role_ids as "roleIds", parent_organization_id as "parentOrganizationId"
       from registration_setting`,
  );
  return rows[0] as RegistrationSettings;
}

export async function writeSettings(tx: Tx, settings: RegistrationSettings): Promise<void> {
  await tx.query(
    'update registration_setting set enabled = $1, approval = $2, role_ids = $3, parent_organization_id = $4',
    [settings.enabled, settings.approval, settings.roleIds, settings.parentOrganizationId],
  );
}

export interface OpenRole {
  id: number;
  code: string | null;
  name: string;
}

export async function listOpenRoles(db: Db): Promise<OpenRole[]> {
  const { rows } = await db.query<OpenRole>(
    `select r.id, r.code, r.name from role r, registration_setting s
      where r.id = any(s.role_ids) order by r.code nulls last, r.name`,
  );
  return rows;
}

export interface Agent {
  id: number;
  name: string;
  username: string;
  organization_id: number;
  organization_path: string;
  organization_level: string;
}

/** Lists agents below the organisation in which registrations are placed. */
export async function listOpenAgents(db: Db, parentId: number): Promise<Agent[]> {
  const { rows } = await db.query<Agent>(
    `select a.id, a.realname as name, a.username, o.id as organization_id, o.path as organization_path,
            o.level as organization_level
       from account a join organization o on o.id = a.organization_id
      where a.account_type in ('agent', 'top-agent') and a.disabled_at is null and not a.pending
        and o.path like (select path from organization where id = $1) || '%' and o.level in ('hq', 'org')
      order by a.realname, a.id limit 500`,
    [parentId],
  );
  return rows;
}

export interface RegistrationRow {
  id: number;
  account_id: number | null;
  organization_id: number | null;
  username: string;
  realname: string;
  organization_name: string;
  mobile: string;
  role: OpenRole | null;
  agent_name: string;
  time_zone: string;
  address: string;
  created_at: Date;
  state: Registration['state'];
  decided_at: Date | null;
  decided_by: string;
  reason: string;
  parent_path: string;
}

const SELECT = `select g.id, g.account_id, g.organization_id, g.username, g.realname, g.organization_name, g.mobile,
         (select json_build_object('id', r.id, 'code', r.code, 'name', r.name) from role r where r.id = g.role_id) as role,
         g.agent_name, g.time_zone, g.address, g.created_at, g.state, g.decided_at, g.decided_by, g.reason,
         p.path as parent_path
    from registration g join organization p on p.id = g.parent_organization_id`;

export async function listRegistrationRows(
  db: Db,
  filter: { scope: string; state: Registration['state'] | null; search: string },
  limit: number,
  offset: number,
): Promise<{ rows: RegistrationRow[]; total: number; pending: number }> {
  const where = `where p.path like $1 || '%' and ($2::text is null or g.state = $2)
      and ($3 = '' or lower(g.username || ' ' || g.realname || ' ' || g.organization_name || ' ' || g.mobile) like $3)`;
  const search = containing(filter.search.toLowerCase());
  const [page, count, waiting] = await Promise.all([
    db.query<RegistrationRow>(`${SELECT} ${where} order by g.created_at desc, g.id desc limit $4 offset $5`, [
      filter.scope,
      filter.state,
      search,
      limit,
      offset,
    ]),
    db.query<{ count: number }>(
      `select count(*) as count from registration g join organization p on p.id = g.parent_organization_id ${where}`,
      [filter.scope, filter.state, search],
    ),
    db.query<{ count: number }>(
      `select count(*) as count from registration g join organization p on p.id = g.parent_organization_id
        where p.path like $1 || '%' and g.state = 'pending'`,
      [filter.scope],
    ),
  ]);
  return { rows: page.rows, total: count.rows[0]?.count ?? 0, pending: waiting.rows[0]?.count ?? 0 };
}

/** Returns a registration, locked until the end of the transaction, so that only one decision is made. */
export async function findRegistration(tx: Tx, scope: string, id: number): Promise<RegistrationRow | null> {
  const { rows } = await tx.query<RegistrationRow>(
    `${SELECT} where g.id = $2 and p.path like $1 || '%' for update of g`,
    [scope, id],
  );
  return rows[0] ?? null;
}

export async function insertRegistration(
  tx: Tx,
  row: {
    accountId: number;
    organizationId: number;
    parentOrganizationId: number;
    username: string;
    realname: string;
    organizationName: string;
    mobile: string;
    roleId: number;
    agentName: string;
    timeZone: string;
    address: string;
    state: Registration['state'];
    createdAt: Date;
  },
): Promise<number> {
  const { rows } = await tx.query<{ id: number }>(
    `insert into registration (account_id, organization_id, parent_organization_id, username, realname,
                               organization_name, mobile, role_id, agent_name, time_zone, address, state, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) returning id`,
    [
      row.accountId,
      row.organizationId,
      row.parentOrganizationId,
      row.username,
      row.realname,
      row.organizationName,
      row.mobile,
      row.roleId,
      row.agentName,
      row.timeZone,
      row.address,
      row.state,
      row.createdAt,
    ],
  );
  return (rows[0] as { id: number }).id;
}

export async function decide(
  tx: Tx,
  id: number,
  decision: { state: 'approved' | 'rejected'; by: string; at: Date; reason: string },
): Promise<void> {
  await tx.query(
    'update registration set state = $2, decided_by = $3, decided_at = $4, reason = $5 where id = $1',
    [id, decision.state, decision.by, decision.at, decision.reason],
  );
}

export async function admitAccount(tx: Tx, accountId: number): Promise<void> {
  await tx.query('update account set pending = false where id = $1', [accountId]);
}

/** Returns the language for messages to an account; English if none is set. */
export async function findLanguage(db: Db, accountId: number | null): Promise<Language> {
  const { rows } = await db.query<{ language: Language | '' }>('select language from account where id = $1', [
    accountId,
  ]);
  return rows[0]?.language || DEFAULT_LANGUAGE;
}
