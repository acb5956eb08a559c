import type { ImportReport } from '@isotherm/contracts/batches';
import { AppError, InvalidFieldsError } from '@isotherm/contracts/errors';
import type { UploadedFile } from '@isotherm/contracts/fields';
import { createUser } from '@isotherm/contracts/users';
import { wordIssues } from '@isotherm/contracts/validation';
import { ACCOUNT_TYPES } from '@isotherm/domain/access/roles';
import { LANGUAGES } from '@isotherm/i18n/languages';
import type { Translate } from '@isotherm/i18n/translator';
import type pg from 'pg';
import type { Audit } from '../../../platform/audit/audit.ts';
import { type Tx, transaction } from '../../../platform/db/pool.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import { wordError } from '../../../platform/http/error-words.ts';
import { readSheet, writeBook } from '../../../platform/sheets/sheets.ts';
import { listNodes } from '../organizations/organizations.repo.ts';
import { listRoleRows, type RoleRow } from '../roles/roles.repo.ts';
import { fieldsOf, objectOf } from './user-view.ts';
import type { UserForm, UserQuery, UsersService } from './users.service.ts';

const MAX_ROWS = 2_000;
const MAX_EXPORT = 50_000;
const MOST_FAILURES = 1_000;
const NOBODY = 0;

/** Columns of the spreadsheet: field of the form → text key of its head. Those starred must be there. */
const COLUMNS = [
  { field: 'username', title: 'users.username', required: true, example: 'wang.fang', width: 20 },
  { field: 'realname', title: 'users.realname', required: true, example: 'Wang Fang', width: 20 },
  { field: 'organizationId', title: 'users.organization', required: true, example: '', width: 24 },
  { field: 'roleIds', title: 'users.roles', required: true, example: '', width: 24 },
  { field: 'accountType', title: 'users.type', required: false, example: '', width: 16 },
  { field: 'mobile', title: 'users.mobile', required: false, example: '13800138000', width: 16 },
  { field: 'landline', title: 'users.landline', required: false, example: '021-12345678', width: 16 },
  { field: 'email', title: 'users.email', required: false, example: 'wang.fang@example.org', width: 26 },
  { field: 'address', title: 'users.address', required: false, example: '', width: 30 },
  { field: 'description', title: 'users.description', required: false, example: '', width: 30 },
  { field: 'timeZone', title: 'users.time-zone', required: false, example: 'Asia/Shanghai', width: 18 },
] as const;
type Field = (typeof COLUMNS)[number]['field'];

export interface UserSheets {
  template(caller: Caller): Promise<{ fileName: string; content: string }>;
  export(
    caller: Caller,
    query: UserQuery,
  ): Promise<{ fileName: string; content: string; rows: number; limited: boolean }>;
  /** Throws `import.*`. A dry run goes all the way and takes everything back. */
  import(caller: Caller, file: UploadedFile, dryRun: boolean): Promise<ImportReport>;
}

/** Ends a transaction without keeping it. */
class DryRun extends Error {}

type Failure = ImportReport['failures'][number];

interface Names {
  organizations: Map<string, number>;
  roles: Map<string, number>;
  types: Map<string, string>;
}

export function createUserSheets(
  pool: pg.Pool,
  users: UsersService,
  audit: Audit,
  translate: Translate,
): UserSheets {
  const inAllLanguages = (id: string) => LANGUAGES.map((language) => translate(language, id));
  const same = (text: string) => text.trim().toLowerCase();
  const roleNames = (role: Pick<RoleRow, 'code' | 'name'>) =>
    role.code === null ? [role.name] : [role.code, ...inAllLanguages(`roles.system.${role.code}`)];

  /** What cells may call things: codes and names, in any of our languages. */
  async function namesFor(caller: Caller): Promise<Names> {
    const [nodes, roles] = await Promise.all([
      listNodes(pool, caller.scope),
      listRoleRows(pool, caller.scope, caller.accountId ?? NOBODY),
    ]);
    return {
      organizations: new Map(nodes.flatMap((node) => [[same(node.code), node.id]])),
      // What an organisation calls like a system role does not take its place.
      roles: new Map(
        roles
          .toSorted((a, b) => Number(a.code !== null) - Number(b.code !== null))
          .flatMap((role) => roleNames(role).map((name) => [same(name), role.id] as const)),
      ),
      types: new Map(
        ACCOUNT_TYPES.flatMap((type) =>
          [type, ...inAllLanguages(`users.type.${type}`)].map((name) => [same(name), type] as const),
        ),
      ),
    };
  }

  /** Where each column stands, by its head in any language. Throws `import.columns`. */
  function columnsOf(head: readonly string[], caller: Caller): Map<Field, number> {
    const found = new Map<Field, number>();
    for (const { field, title } of COLUMNS) {
      const names = new Set([field, ...inAllLanguages(title)].map(same));
      const at = head.findIndex((cell) => names.has(same(cell.replace('*', ''))));
      if (at >= 0) found.set(field, at);
    }
    const missing = COLUMNS.filter(({ field, required }) => required && !found.has(field));
    if (missing.length > 0) {
      const columns = missing.map(({ title }) => translate(caller.language, title)).join(', ');
      throw new AppError('import.columns', { columns });
    }
    return found;
  }

  /** A row as the form that it stands for; names that nobody bears become what the schema refuses. */
  function formOf(
    row: readonly string[],
    columns: Map<Field, number>,
    names: Names,
  ): Record<string, unknown> {
    const cell = (field: Field) => (row[columns.get(field) ?? -1] ?? '').trim();
    const roleIds = cell('roleIds')
      .split(/[;；,，、]/)
      .map((name) => name.trim())
      .filter((name) => name !== '')
      .map((name) => names.roles.get(same(name)) ?? name);
    return {
      username: cell('username'),
      realname: cell('realname'),
      organizationId:
        cell('organizationId') === ''
          ? undefined
          : (names.organizations.get(same(cell('organizationId'))) ?? '?'),
      roleIds: roleIds.length === 0 ? undefined : roleIds,
      accountType: cell('accountType') === '' ? 'staff' : (names.types.get(same(cell('accountType'))) ?? '?'),
      mobile: cell('mobile'),
      landline: cell('landline'),
      email: cell('email'),
      address: cell('address'),
      description: cell('description'),
      ...(cell('timeZone') === '' ? {} : { timeZone: cell('timeZone') }),
    };
  }

  /** What is to be said of a name that nobody bears; null where the field is no name, or a known one. */
  function unknownName(field: Field, input: Record<string, unknown>, caller: Caller): string | null {
    const say = (id: string, params = {}) => translate(caller.language, id, params);
    if (field === 'organizationId') return say('users.import.no-organization');
    if (field === 'accountType') {
      const types = ACCOUNT_TYPES.map((type) => say(`users.type.${type}`)).join(say('logs.value.between'));
      return say('users.import.no-type', { types });
    }
    const roles = field === 'roleIds' && Array.isArray(input.roleIds) ? input.roleIds : [];
    const names = roles.filter((role) => typeof role === 'string');
    return names.length === 0
      ? null
      : say('users.import.no-role', { count: names.length, names: names.join(say('logs.value.between')) });
  }

  function titleOf(field: string, caller: Caller): string {
    const column = COLUMNS.find((each) => each.field === field.split('.')[0]);
    return column ? translate(caller.language, column.title) : field;
  }

  return {
    async template(caller) {
      const [organization] = await listNodes(pool, caller.scope);
      const head = COLUMNS.map(
        ({ title, required }) => translate(caller.language, title) + (required ? ' *' : ''),
      );
      const example = COLUMNS.map(({ field, example: value }) => {
        if (field === 'organizationId') return organization?.code ?? '';
        if (field === 'roleIds') return translate(caller.language, 'roles.system.operator');
        return field === 'accountType' ? translate(caller.language, 'users.type.staff') : value;
      });
      // The example has a sheet of its own: what is imported is the first one, and nobody has to clear it first.
      const bytes = await writeBook(
        { name: 'Users', rows: [head], widths: COLUMNS.map(({ width }) => width) },
        {
          name: translate(caller.language, 'users.import.example'),
          rows: [
            ['common.import.column', 'users.import.example'].map((id) => translate(caller.language, id)),
            ...head.map((title, i) => [title, example[i] ?? '']),
          ],
          widths: [28, 40],
        },
      );
      return { fileName: 'accounts-template.xlsx', content: bytes.toString('base64') };
    },
    async export(caller, query) {
      const rows = await users.listAll(caller, query, MAX_EXPORT + 1);
      const shown = rows.slice(0, MAX_EXPORT);
      const word = (id: string) => translate(caller.language, id);
      const head = [
        'username',
        'realname',
        'organization',
        'roles',
        'type',
        'state',
        'mobile',
        'email',
        'last-login',
        'created',
      ];
      const bytes = await writeBook({
        name: 'Users',
        rows: [
          head.map((id) => word(`users.${id}`)),
          ...shown.map((user) => [
            user.username,
            user.realname,
            user.organizationName,
            user.roles.map((role) => (role.code ? word(`roles.system.${role.code}`) : role.name)).join('; '),
            word(`users.type.${user.accountType}`),
            word(`users.state.${user.state}`),
            user.mobile,
            user.email,
            user.lastLoginAt ?? '',
            user.createdAt,
          ]),
        ],
        widths: [20, 20, 24, 24, 16, 12, 16, 26, 24, 24],
      });
      await audit.recordAlone(caller, {
        action: 'export',
        objectKind: 'user',
        objectId: '',
        objectName: 'accounts.xlsx',
        after: { rows: shown.length },
        organizationPath: caller.scope,
      });
      return {
        fileName: 'accounts.xlsx',
        content: bytes.toString('base64'),
        rows: shown.length,
        limited: rows.length > MAX_EXPORT,
      };
    },
    async import(caller, file, dryRun) {
      const [head = [], ...rows] = await readSheet(file, MAX_ROWS);
      const columns = columnsOf(head, caller);
      const names = await namesFor(caller);
      const failures: Failure[] = [];
      const failed = new Set<number>();
      const fail = (row: number, field: string, value: string, message: string) => {
        failed.add(row);
        if (failures.length < MOST_FAILURES)
          failures.push({ row, column: titleOf(field, caller), value: value.slice(0, 100), message });
      };

      const good: { row: number; form: UserForm & { username: string } }[] = [];
      const seen = new Map<string, number>();
      for (const [i, cells] of rows.entries()) {
        const row = i + 2;
        const input = formOf(cells, columns, names);
        const parsed = createUser.body.safeParse(input);
        if (!parsed.success) {
          const faulty = new Set<Field>();
          for (const fault of wordIssues(parsed.error, input)) {
            const field = fault.field.split('.')[0] as Field;
            if (faulty.has(field)) continue;
            faulty.add(field);
            const value = cells[columns.get(field) ?? -1] ?? '';
            const unknown = fault.rule === 'required' ? null : unknownName(field, input, caller);
            const rule = translate(caller.language, `validation.${fault.rule}`, fault.params);
            fail(row, field, value, unknown ?? rule);
          }
          continue;
        }
        const twin = seen.get(parsed.data.username);
        if (twin !== undefined) {
          const message = translate(caller.language, 'users.import.duplicate', { row: twin });
          fail(row, 'username', parsed.data.username, message);
          continue;
        }
        seen.set(parsed.data.username, row);
        good.push({ row, form: parsed.data });
      }

      // Of a dry run nothing is kept, so nothing needs a password.
      const hashes = await Promise.all(
        good.map(({ form }) => (dryRun ? Promise.resolve('') : users.initialHash(form.username))),
      );
      const success = await transaction(pool, async (tx) => {
        const made = await createEach(tx, caller, good, hashes, fail);
        if (dryRun) throw new DryRun(String(made.length));
        await audit.record(
          tx,
          caller,
          ...made.map((row) => ({ action: 'create' as const, ...objectOf(row), after: fieldsOf(row) })),
          {
            action: 'import',
            objectKind: 'user',
            objectId: '',
            objectName: file.name,
            after: { rows: rows.length, success: made.length, fail: failed.size },
            organizationPath: caller.scope,
          },
        );
        return made.length;
      }).catch((error: Error) => {
        if (error instanceof DryRun) return Number(error.message);
        throw error;
      });
      failures.sort((a, b) => a.row - b.row);
      return { rows: rows.length, success, fail: failed.size, failures, written: !dryRun && success > 0 };
    },
  };

  async function createEach(
    tx: Tx,
    caller: Caller,
    good: readonly { row: number; form: UserForm & { username: string } }[],
    hashes: readonly string[],
    fail: (row: number, field: string, value: string, message: string) => void,
  ) {
    const made = [];
    for (const [i, { row, form }] of good.entries()) {
      try {
        made.push(await users.createIn(tx, caller, form, hashes[i] ?? ''));
      } catch (error) {
        if (!(error instanceof AppError) || error instanceof InvalidFieldsError) throw error;
        const field = FIELD_OF[error.code] ?? 'roleIds';
        const value = field === 'username' ? form.username : '';
        fail(row, field, value, wordError(error, caller.language, translate));
      }
    }
    return made;
  }
}

const FIELD_OF: Partial<Record<AppError['code'], Field>> = {
  'user.username_taken': 'username',
  'organization.not_found': 'organizationId',
  'user.type': 'accountType',
};
