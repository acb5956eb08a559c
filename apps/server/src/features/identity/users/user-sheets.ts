import type { ImportReport, ImportUpload } from '@isotherm/contracts/batches';
import { AppError, InvalidFieldsError } from '@isotherm/contracts/errors';
import { createUser } from '@isotherm/contracts/users';
import { ACCOUNT_TYPES } from '@isotherm/domain/access/roles';
import { LANGUAGES } from '@isotherm/i18n/languages';
import { type TextId, textId } from '@isotherm/i18n/text-id';
import type { Translate } from '@isotherm/i18n/translator';
import type pg from 'pg';
import type { Audit } from '../../../platform/audit/audit.ts';
import { type Tx, transaction } from '../../../platform/db/pool.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import { wordError } from '../../../platform/http/error-words.ts';
import type { ImportRun } from '../../../platform/imports/import-run.ts';
import type { Imports } from '../../../platform/imports/imports.ts';
import { exportSheet } from '../../../platform/sheets/sheet-export.ts';
import {
  createSheetForm,
  namesInAllLanguages,
  type SheetFaults,
  type SheetRow,
  sameName,
} from '../../../platform/sheets/sheet-form.ts';
import { listNodes } from '../organizations/organizations.repo.ts';
import { listRoleRows, type RoleRow } from '../roles/roles.repo.ts';
import { fieldsOf, objectOf } from './user-view.ts';
import type { UserRow } from './users.repo.ts';
import type { UserForm, UserQuery, UsersService } from './users.service.ts';

const MAX_ROWS = 2_000;
const MAX_EXPORT = 50_000;
const NOBODY = 0;
/** Number of rows per portion: hashing one password takes as long as checking hundreds of rows. */
const HASHED_AT_ONCE = 10;

/** Columns of the spreadsheet: form field → text key of the header. Columns with an asterisk are required. */
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
  /** Throws `import.*`. A dry run executes everything and rolls back. */
  import(caller: Caller, upload: ImportUpload): Promise<ImportReport>;
}

/** Thrown to roll back a dry run. */
class DryRun extends Error {}

interface Good {
  row: SheetRow<Field>;
  form: UserForm & { username: string };
}

interface Names {
  organizations: Map<string, number>;
  roles: Map<string, number>;
  types: Map<string, string>;
}

export function createUserSheets(parts: {
  pool: pg.Pool;
  users: UsersService;
  audit: Audit;
  translate: Translate;
  running: Pick<Imports, 'run'>;
}): UserSheets {
  const { pool, users, audit, translate, running } = parts;
  const form = createSheetForm<Field>(COLUMNS, translate);
  const inAllLanguages = (id: TextId) => LANGUAGES.map((language) => translate(language, id));
  const roleNames = (role: Pick<RoleRow, 'code' | 'name'>) =>
    role.code === null ? [role.name] : [role.code, ...inAllLanguages(textId(`roles.system.${role.code}`))];

  /** Returns codes and names that cells may use, in all languages of the console. */
  async function namesFor(caller: Caller): Promise<Names> {
    const [nodes, roles] = await Promise.all([
      listNodes(pool, caller.scope),
      listRoleRows(pool, caller.scope, caller.accountId ?? NOBODY),
    ]);
    return {
      organizations: new Map(nodes.flatMap((node) => [[sameName(node.code), node.id]])),
      // System roles take precedence over roles of the same name.
      roles: new Map(
        roles
          .toSorted((a, b) => Number(a.code !== null) - Number(b.code !== null))
          .flatMap((role) => roleNames(role).map((name) => [sameName(name), role.id] as const)),
      ),
      types: namesInAllLanguages(
        translate,
        ACCOUNT_TYPES.map((type) => [type, `users.type.${type}`, type] as const),
      ),
    };
  }

  /** Converts a row to form input; unknown names become values that the schema rejects. */
  function formOf({ cell }: SheetRow<Field>, names: Names): Record<string, unknown> {
    const roleIds = cell('roleIds')
      .split(/[;；,，、]/)
      .map((name) => name.trim())
      .filter((name) => name !== '')
      .map((name) => names.roles.get(sameName(name)) ?? name);
    return {
      username: cell('username'),
      realname: cell('realname'),
      organizationId:
        cell('organizationId') === ''
          ? undefined
          : (names.organizations.get(sameName(cell('organizationId'))) ?? '?'),
      roleIds: roleIds.length === 0 ? undefined : roleIds,
      accountType:
        cell('accountType') === '' ? 'staff' : (names.types.get(sameName(cell('accountType'))) ?? '?'),
      mobile: cell('mobile'),
      landline: cell('landline'),
      email: cell('email'),
      address: cell('address'),
      description: cell('description'),
      ...(cell('timeZone') === '' ? {} : { timeZone: cell('timeZone') }),
    };
  }

  /** Returns the error for an unknown name; null if the field is not a name, or a known one. */
  function unknownName(field: Field, input: Record<string, unknown>, caller: Caller): string | null {
    const say = (id: TextId, params = {}) => translate(caller.language, id, params);
    if (field === 'organizationId') return say('common.import.no-organization');
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

  return {
    async template(caller) {
      const [organization] = await listNodes(pool, caller.scope);
      const content = await form.template(caller, 'Users', {
        organizationId: organization?.code ?? '',
        roleIds: translate(caller.language, 'roles.system.operator'),
        accountType: translate(caller.language, 'users.type.staff'),
      });
      return { fileName: 'accounts-template.xlsx', content };
    },
    async export(caller, query) {
      const word = (id: TextId) => translate(caller.language, id);
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
      ] as const;
      return exportSheet(audit, caller, {
        fileName: 'accounts.xlsx',
        objectKind: 'user',
        sheetName: 'Users',
        head: head.map((id) => word(`users.${id}`)),
        widths: [20, 20, 24, 24, 16, 12, 16, 26, 24, 24],
        found: await users.listAll(caller, query, MAX_EXPORT + 1),
        most: MAX_EXPORT,
        cellsOf: (user) => [
          user.username,
          user.realname,
          user.organizationName,
          user.roles
            .map((role) => (role.code ? word(textId(`roles.system.${role.code}`)) : role.name))
            .join('; '),
          word(`users.type.${user.accountType}`),
          word(`users.state.${user.state}`),
          user.mobile,
          user.email,
          user.lastLoginAt ?? '',
          user.createdAt,
        ],
      });
    },
    import: (caller, upload) =>
      running.run(caller, upload.importId, (run) => importFile(caller, upload, run)),
  };

  async function importFile(caller: Caller, { file, ...upload }: ImportUpload, run: ImportRun) {
    const dryRun = upload.dryRun === 'true';
    const { rows, faults } = await form.read(file, MAX_ROWS, caller);
    const names = await namesFor(caller);
    const good: Good[] = [];
    const seen = new Map<string, number>();
    const check = (row: SheetRow<Field>) => {
      const input = formOf(row, names);
      const parsed = faults.parse(row, createUser.body, input, (field) => unknownName(field, input, caller));
      if (!parsed) return;
      const twin = seen.get(parsed.username);
      if (twin !== undefined) {
        faults.fail(row, 'username', translate(caller.language, 'common.import.duplicate', { row: twin }));
        return;
      }
      seen.set(parsed.username, row.row);
      good.push({ row, form: parsed });
    };
    await run.each('checking', rows, (portion) => portion.forEach(check));

    const hashes = new Map<Good, string>();
    const hash = async (each: Good) => hashes.set(each, await users.initialHash(caller, each.form.username));
    // A dry run stores nothing, so it hashes no passwords.
    if (!dryRun)
      await run.each('preparing', good, (portion) => Promise.all(portion.map(hash)), HASHED_AT_ONCE);
    await transaction(pool, async (tx) => {
      const made: UserRow[] = [];
      await run.each('writing', good, async (portion) => {
        for (const each of portion)
          made.push(...(await create(tx, caller, each, hashes.get(each) ?? '', faults)));
      });
      if (dryRun) throw new DryRun();
      const entryOf = (row: UserRow) => ({
        action: 'create' as const,
        ...objectOf(row),
        after: fieldsOf(row),
      });
      await run.each('recording', made, (portion) => audit.record(tx, caller, ...portion.map(entryOf)));
      await audit.record(tx, caller, {
        action: 'import',
        objectKind: 'user',
        objectId: '',
        objectName: file.name,
        after: { rows: rows.length, success: made.length, fail: rows.length - made.length },
        organizationPath: caller.scope,
      });
    }).catch((error: Error) => {
      if (!(error instanceof DryRun)) throw error;
    });
    return faults.report(rows.length, !dryRun);
  }

  /** Creates an account from a row; returns null if it failed, after recording the error. */
  async function create(
    tx: Tx,
    caller: Caller,
    { row, form }: Good,
    hash: string,
    faults: SheetFaults<Field>,
  ): Promise<UserRow[]> {
    try {
      return [await users.createIn(tx, caller, form, hash)];
    } catch (error) {
      if (!(error instanceof AppError) || error instanceof InvalidFieldsError) throw error;
      const field = FIELD_OF[error.code] ?? 'roleIds';
      faults.fail(row, field, wordError(error, caller.language, translate));
      return [];
    }
  }
}

const FIELD_OF: Partial<Record<AppError['code'], Field>> = {
  'user.username_taken': 'username',
  'organization.not_found': 'organizationId',
  'user.type': 'accountType',
};
