import type { z } from 'zod';

/** An error of a field: the text key `validation.<rule>` with its parameters. */
export interface FieldFault {
  /** Path of the field in the body or query, joined by dots. */
  field: string;
  rule: ValidationRule;
  params: Record<string, string | number>;
}

/** Rules that have a message in locales/<language>/validation.json. */
export const VALIDATION_RULES = [
  'above-interval',
  'above-other',
  'alertor-serial',
  'below-acquisition',
  'budget-inside',
  'budget-order',
  'budget-overlap',
  'camera-address',
  'choice',
  'control-characters',
  'dev-eui',
  'device-key',
  'device-token',
  'device-name',
  'differs',
  'eight-digits',
  'email',
  'fence-crossing',
  'fence-flat',
  'fence-place',
  'fence-places',
  'fence-radius',
  'fence-side',
  'fence-too-wide',
  'file-name',
  'format',
  'full-name',
  'hex',
  'high-below-low',
  'landline',
  'leading-slash',
  'link-pin',
  'mobile',
  'no-leading-slash',
  'no-snapshots',
  'no-whitespace',
  'number',
  'one-decimal',
  'operation-code',
  'password-common',
  'plan-alertors',
  'plan-no-channels',
  'plan-no-recipients',
  'plan-nobody',
  'plan-order',
  'plan-push-url',
  'plan-web-recipients',
  'plan-wechat-recipients',
  'policy-alertors',
  'policy-bounds',
  'policy-contact-trigger',
  'policy-defrost-delay',
  'policy-escalation-level',
  'policy-escalation-time',
  'policy-fence',
  'policy-horizon',
  'policy-leg-product',
  'policy-level-twice',
  'policy-limit-value',
  'policy-limits-reversed',
  'policy-margin',
  'policy-no-channels',
  'policy-no-conditions',
  'policy-no-limit',
  'policy-no-recipients',
  'policy-no-steps',
  'policy-push-url',
  'policy-quantity-twice',
  'policy-repeat',
  'policy-schedule',
  'policy-sensor',
  'policy-signal-quantity',
  'policy-step-limits',
  'policy-time-zone',
  'policy-trigger',
  'policy-trigger-order',
  'policy-window',
  'policy-web-recipients',
  'policy-wechat-recipients',
  'registration-name',
  'required',
  'route-path',
  'same-as-password',
  'screen-layout',
  'seven-days',
  'six-digits',
  'starts-with-letter',
  'study-too-long',
  'template-braces',
  'template-kind',
  'template-missing',
  'template-one-line',
  'template-parameters',
  'template-variable',
  'three-numbers',
  'time-zone',
  'too-few',
  'too-high',
  'too-long',
  'too-low',
  'too-many',
  'too-short',
  'twice',
  'unknown-field',
  'whole-number',
  'whole-list',
  'whole-position',
] as const;
export type ValidationRule = (typeof VALIDATION_RULES)[number];

const RULES: ReadonlySet<string> = new Set(VALIDATION_RULES);

/**
 * Converts a Zod issue of `input` to the rule that was broken. Form and server show the same message for it.
 */
export function wordIssue(issue: z.core.$ZodIssue, input: unknown): FieldFault {
  const field = issue.path.map(String).join('.');
  const fault = (rule: ValidationRule, params: FieldFault['params'] = {}): FieldFault => ({
    field,
    rule,
    params,
  });
  const isMissing = [undefined, null, ''].includes(valueAt(input, issue.path) as undefined);
  // A custom rule of a schema contains its own name as message.
  if (RULES.has(issue.message))
    return fault(issue.message as ValidationRule, issue.code === 'custom' ? paramsOf(issue.params) : {});
  switch (issue.code) {
    case 'invalid_type':
      return fault(isMissing ? 'required' : typeRule(issue.expected));
    case 'too_small': {
      const min = Number(issue.minimum);
      if (issue.origin === 'string') return min === 1 ? fault('required') : fault('too-short', { min });
      if (issue.origin === 'array' || issue.origin === 'set') return fault('too-few', { min });
      return fault('too-low', { min });
    }
    case 'too_big': {
      const max = Number(issue.maximum);
      if (issue.origin === 'string') return fault('too-long', { max });
      if (issue.origin === 'array' || issue.origin === 'set') return fault('too-many', { max });
      return fault('too-high', { max });
    }
    case 'invalid_value':
      return fault(isMissing ? 'required' : 'choice');
    case 'unrecognized_keys':
      return {
        field: [...issue.path.map(String), issue.keys[0]].join('.'),
        rule: 'unknown-field',
        params: {},
      };
    case 'invalid_union':
      return unionFault(issue, input) ?? fault('format');
    default:
      return fault(isMissing ? 'required' : 'format');
  }
}

/** Values of a custom rule's message. */
function paramsOf(params: Readonly<Record<string, unknown>> = {}): FieldFault['params'] {
  return Object.fromEntries(
    Object.entries(params).filter((each): each is [string, string | number] =>
      ['string', 'number'].includes(typeof each[1]),
    ),
  );
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined),
    input,
  );
}

function typeRule(expected: string): ValidationRule {
  if (expected === 'int') return 'whole-number';
  return expected === 'number' ? 'number' : 'format';
}

/**
 * Returns the error of the second alternative, because for "empty or a mobile number" the user meant the
 * latter.
 */
function unionFault(issue: z.core.$ZodIssueInvalidUnion, input: unknown): FieldFault | null {
  const meant = issue.errors.at(-1)?.[0];
  if (!meant) return null;
  const inner = wordIssue(meant, valueAt(input, issue.path));
  return {
    ...inner,
    field: [...issue.path.map(String), inner.field].filter((part) => part !== '').join('.'),
  };
}

/** Returns the first error of each field, in the order of the schema. */
export function wordIssues(error: z.ZodError, input: unknown): FieldFault[] {
  const faults = new Map<string, FieldFault>();
  for (const issue of error.issues) {
    const fault = wordIssue(issue, input);
    if (!faults.has(fault.field)) faults.set(fault.field, fault);
  }
  return [...faults.values()];
}
