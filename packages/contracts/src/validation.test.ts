import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import * as rule from './fields.ts';
import { timeZone } from './route.ts';
import { wordIssues } from './validation.ts';

/** Returns the rule that a value breaks, as `rule` or `rule min|max`; '' if the value is valid. */
function faultOf(schema: z.ZodType, value: unknown): string {
  const result = schema.safeParse(value);
  if (result.success) return '';
  const [fault] = wordIssues(result.error, value);
  return [fault?.rule, ...Object.values(fault?.params ?? {})].join(' ');
}

/** The rules of requirements §5 as quotations: [quotation, schema, [value, broken rule]…]. */
const RULES: [string, z.ZodType, [unknown, string][]][] = [
  [
    'Login account: no whitespace, at least 8 characters',
    rule.loginAccount,
    [
      ['operator', ''],
      ['short', 'too-short 8'],
      ['has space1', 'no-whitespace'],
      ['tab\there1', 'no-whitespace'],
      ['bell\u0007bell', 'control-characters'],
      ['x'.repeat(65), 'too-long 64'],
      [undefined, 'required'],
    ],
  ],
  [
    'Self-registration username: starts with a letter, 8 to 30 characters, limited special characters',
    rule.registrationName,
    [
      ['wang.fang', ''],
      ['王芳王芳王芳王芳', ''],
      ['1wangfang', 'starts-with-letter'],
      ['wang', 'too-short 8'],
      ['w'.repeat(31), 'too-long 30'],
      ['wang fang1', 'registration-name'],
      ['wang<fang>', 'registration-name'],
    ],
  ],
  [
    'Full name: letters and spaces (plus limited special characters)',
    rule.fullName,
    [
      ['Lin Yue', ''],
      ["Anne-Marie O'Neill", ''],
      ['王芳', ''],
      ['José Ñandú', ''],
      ['R2D2', 'full-name'],
      ['<b>Lin</b>', 'full-name'],
      ['', 'required'],
    ],
  ],
  [
    'Registration password 8 to 16 characters',
    rule.registrationPassword,
    [
      ['12345678', ''],
      ['1234567', 'too-short 8'],
      ['1'.repeat(17), 'too-long 16'],
      ['1234 5678', 'no-whitespace'],
    ],
  ],
  [
    'Password change: at least 6 characters',
    rule.changedPassword,
    [
      ['123456', ''],
      ['12345', 'too-short 6'],
    ],
  ],
  [
    'Mobile check (mainland: 1, then 3-9, then 9 digits; international: optional + and digits)',
    rule.mobile,
    [
      ['13800138000', ''],
      ['19912345678', ''],
      ['12800138000', 'mobile'],
      ['+447911123456', ''],
      ['447911123456', ''],
      ['+44 7911', 'mobile'],
      ['12345', 'mobile'],
      ['phone', 'mobile'],
    ],
  ],
  [
    'Landline with area code',
    rule.landline,
    [
      ['021-12345678', ''],
      ['0571 1234567', ''],
      ['+44 20 79460000', ''],
      ['010-12345678-802', ''],
      ['12345678', 'landline'],
    ],
  ],
  [
    'E-mail pattern',
    rule.email,
    [
      ['lin@example.org', ''],
      ['lin@example', 'email'],
      ['lin example.org', 'email'],
    ],
  ],
  [
    'An empty field is accepted, otherwise the rule applies',
    rule.orNone(rule.mobile),
    [
      ['', ''],
      ['13800138000', ''],
      ['1', 'mobile'],
    ],
  ],
  [
    'Names, plates, action names, device numbers, asset codes: no whitespace',
    rule.code,
    [
      ['ORG-1', ''],
      ['ORG 1', 'no-whitespace'],
      ['', 'required'],
    ],
  ],
  [
    'Asset size: exactly three comma-separated numbers',
    rule.assetSize,
    [
      ['1200,600,1800', ''],
      [' 1200 , 600.5，1800 ', ''],
      ['1200,600', 'three-numbers'],
      ['1200,600,1800,1', 'three-numbers'],
      ['1200,,1800', 'three-numbers'],
      ['1200;600;1800', 'three-numbers'],
      ['a,b,c', 'three-numbers'],
      ['-1,2,3', 'three-numbers'],
      ['1e3,2,3', 'three-numbers'],
    ],
  ],
  [
    'Volume: one decimal',
    rule.volume,
    [
      [390, ''],
      [390.5, ''],
      [0.1, ''],
      [390.55, 'one-decimal'],
      [-1, 'too-low 0'],
      [1_000_000.1, 'too-high 1000000'],
      ['much', 'number'],
    ],
  ],
  [
    'An action name is page:action',
    rule.operationCode,
    [
      ['device-list:import', ''],
      ['import', 'operation-code'],
      ['device list:import', 'no-whitespace'],
    ],
  ],
  [
    'Route path must not start with a slash',
    rule.routePath,
    [
      ['management/users', ''],
      ['asset/:id', ''],
      ['https://example.org/help?x=1', ''],
      ['mailto:help@example.org', ''],
      ['/management/users', 'no-leading-slash'],
      ['javascript:alert(1)', 'route-path'],
      ['a b', 'route-path'],
      ['', 'required'],
    ],
  ],
  [
    'A component starts with exactly one slash',
    rule.componentName,
    [
      ['/management/users', ''],
      ['management/users', 'leading-slash'],
      ['/a b', 'route-path'],
    ],
  ],
  [
    'A verification code has six digits',
    rule.verificationCode,
    [
      ['012345', ''],
      ['12345', 'six-digits'],
    ],
  ],
  [
    'A time zone must be known to the runtime',
    timeZone,
    [
      ['Asia/Shanghai', ''],
      ['Mars/Olympus', 'time-zone'],
    ],
  ],
  [
    'A reason must be given',
    rule.reason,
    [
      ['Left the hospital', ''],
      ['   ', 'required'],
    ],
  ],
  [
    'Text contains no control characters',
    rule.label(),
    [
      ['Pharmacy', ''],
      ['a\u0000b', 'control-characters'],
    ],
  ],
  [
    'Prose may have several lines',
    rule.prose(),
    [
      ['one\ntwo', ''],
      ['a\u0000b', 'control-characters'],
    ],
  ],
];

describe.each(RULES)('the rule "%s"', (_words, schema, table) => {
  it.each(table)('the value %j gives the result "%s"', (value, expected) => {
    expect(faultOf(schema, value)).toBe(expected);
  });
});

it('only the first error of each field is returned', () => {
  const form = z.strictObject({
    name: rule.label(5),
    age: z.number().int().min(0).max(150),
    tags: z.array(z.string()).min(1).max(2),
    kind: z.enum(['a', 'b']),
  });
  const faults = (value: unknown) => {
    const result = form.safeParse(value);
    return result.success
      ? []
      : wordIssues(result.error, value).map(({ field, rule: broken }) => `${field} ${broken}`);
  };
  expect(faults({ name: 'toolong', age: -1, tags: [], kind: 'c' })).toEqual([
    'name too-long',
    'age too-low',
    'tags too-few',
    'kind choice',
  ]);
  expect(faults({ age: 1.5, tags: ['1', '2', '3'] })).toEqual([
    'name required',
    'age whole-number',
    'tags too-many',
    'kind required',
  ]);
  expect(faults({ name: 'a', age: 151, tags: ['1'], kind: 'a', isAdmin: 1 })).toEqual([
    'age too-high',
    'isAdmin unknown-field',
  ]);
  expect(faults({ name: 'a', age: 'old', tags: 'x', kind: 'a' })).toEqual(['age number', 'tags format']);
});

describe('an empty field with a format', () => {
  it.each(['', null, undefined])('is reported as required if it is %j', (empty) => {
    const schema = z.strictObject({ calibratedOn: z.iso.date() });
    expect(faultOf(schema, { calibratedOn: empty })).toBe('required');
  });

  it('is reported as a wrong format only if something was typed', () => {
    expect(faultOf(z.strictObject({ calibratedOn: z.iso.date() }), { calibratedOn: '31/5' })).toBe('format');
  });
});

it.each(['\u0000', '\u200b', '\u2028', '\u202e', '\u2066', '\ufeff'])(
  'a name contains no invisible character %j',
  (mark) => {
    expect(faultOf(rule.label(), `Fridge${mark}9`)).toBe('control-characters');
  },
);

it.each(['Kühlschrank – 2–8 °C', '疫苗冰箱', 'می\u200cخواهم', '👩\u200d🔬'])('%s is a name', (name) => {
  expect(faultOf(rule.label(), name)).toBe('');
});
