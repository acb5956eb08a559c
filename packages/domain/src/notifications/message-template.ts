import type { NotificationKind } from '../alarms/notification.ts';

/** Notification channels whose texts an organisation can replace. A URL push has a fixed format. */
export const TEMPLATE_CHANNELS = ['email', 'sms', 'voice', 'wechat'] as const;
export type TemplateChannel = (typeof TEMPLATE_CHANNELS)[number];

/**
 * What a text is for: an alarm that was raised, reached a higher level or continues; a reminder that nobody has
 * acknowledged it; its end; an alarm test.
 */
export const TEMPLATE_KINDS = ['alarm', 'reminder', 'ended', 'test'] as const;
export type TemplateKind = (typeof TEMPLATE_KINDS)[number];

const KIND_OF: Readonly<Record<NotificationKind, TemplateKind>> = {
  raised: 'alarm',
  'level-changed': 'alarm',
  reopened: 'alarm',
  repeated: 'reminder',
  unacknowledged: 'reminder',
  ended: 'ended',
};

/** Kind of the text of a notification. */
export const templateKindOf = (kind: NotificationKind): TemplateKind => KIND_OF[kind];

const OF_ALARMS = ['alarm', 'reminder', 'ended'] as const;
const KINDS: Readonly<Record<TemplateChannel, readonly TemplateKind[]>> = {
  email: TEMPLATE_KINDS,
  sms: OF_ALARMS,
  // Nobody is called about the end of an alarm.
  voice: ['alarm', 'reminder'],
  wechat: OF_ALARMS,
};

/** Kinds of texts that a notification channel has. Alarm tests are sent by e-mail only. */
export const kindsOfChannel = (channel: TemplateChannel): readonly TemplateKind[] => KINDS[channel];

/** Length of a text of each notification channel, as it is written. */
export const MAX_BODY: Readonly<Record<TemplateChannel, number>> = {
  email: 4_000,
  sms: 400,
  voice: 400,
  wechat: 200,
};
export const MAX_SUBJECT = 160;
/** Length of a text with the values of its variables; what is longer is cut. */
const MAX_FILLED: Readonly<Record<TemplateChannel, number>> = {
  email: 20_000,
  sms: 700,
  voice: 700,
  wechat: 400,
};
const MAX_FILLED_SUBJECT = 250;

interface VariableRule {
  kinds: readonly TemplateKind[];
  /** Notification channels that have it; all if it is absent. */
  channels?: readonly TemplateChannel[];
}

const EMAIL = ['email'] as const;

/** The variables of texts. Meanings and examples are texts of the catalogue `message-templates.variable.<name>`. */
const VARIABLES = {
  asset: { kinds: TEMPLATE_KINDS },
  fault: { kinds: OF_ALARMS },
  value: { kinds: OF_ALARMS },
  limit: { kinds: OF_ALARMS },
  time: { kinds: OF_ALARMS },
  level: { kinds: TEMPLATE_KINDS },
  event: { kinds: OF_ALARMS },
  late: { kinds: OF_ALARMS },
  since: { kinds: OF_ALARMS },
  reason: { kinds: ['ended'] },
  place: { kinds: OF_ALARMS },
  organization: { kinds: TEMPLATE_KINDS },
  sensor: { kinds: OF_ALARMS },
  device: { kinds: OF_ALARMS },
  instruction: { kinds: ['alarm', 'reminder'], channels: EMAIL },
  details: { kinds: OF_ALARMS, channels: EMAIL },
  link: { kinds: TEMPLATE_KINDS, channels: EMAIL },
  acknowledge: { kinds: ['alarm', 'reminder'], channels: EMAIL },
  test: { kinds: ['test'] },
  policy: { kinds: ['test'] },
} as const satisfies Readonly<Record<string, VariableRule>>;
export type TemplateVariable = keyof typeof VARIABLES;
export const TEMPLATE_VARIABLES = Object.keys(VARIABLES) as readonly TemplateVariable[];

/** Values that have several lines or are addresses, so that they do not fit in a subject or a provider's parameter. */
const NOT_ONE_LINE: ReadonlySet<TemplateVariable> = new Set([
  'instruction',
  'details',
  'link',
  'acknowledge',
]);

/** Which text of a template: its subject, its body, or a parameter of a provider's template. */
export type TemplatePart = 'subject' | 'body' | 'parameter';

/** The variables that a text may contain. */
export function variablesFor(
  channel: TemplateChannel,
  kind: TemplateKind,
  part: TemplatePart = 'body',
): readonly TemplateVariable[] {
  return TEMPLATE_VARIABLES.filter((name) => {
    const { kinds, channels }: VariableRule = VARIABLES[name];
    const isKnown = kinds.includes(kind) && (channels === undefined || channels.includes(channel));
    return isKnown && (part === 'body' || !NOT_ONE_LINE.has(name));
  });
}

/** Variables without which a text would not say what has happened. Of each group, one is enough; details have all. */
const NEEDED_OF_ALARMS: readonly (readonly TemplateVariable[])[] = [
  ['asset', 'details'],
  ['value', 'fault', 'details'],
  ['time', 'details'],
];
const NEEDED_OF_TESTS: readonly (readonly TemplateVariable[])[] = [['test'], ['policy']];

/** Groups of variables of which a text must contain one each. */
export const neededVariables = (kind: TemplateKind): readonly (readonly TemplateVariable[])[] =>
  kind === 'test' ? NEEDED_OF_TESTS : NEEDED_OF_ALARMS;

/** A variable as it is written. Spaces within the braces are allowed. */
const VARIABLE = /\{\{[ \t]*([A-Za-z]{1,30})[ \t]*\}\}/g;

/** Names between double braces, in the order of the text; those that are no variables, too. */
const namesIn = (text: string): string[] => [...text.matchAll(VARIABLE)].map(([, name = '']) => name);

/** What is wrong with a text: braces that are no variable, a variable that does not exist here, a missing one. */
export type TextFault =
  | { rule: 'template-braces' }
  | { rule: 'template-variable' | 'template-missing'; name: string };

/** Checks that a text has only known variables, and those that it needs. Returns the first fault; null if there is none. */
export function faultOfText(
  text: string,
  allowed: readonly TemplateVariable[],
  needed: readonly (readonly TemplateVariable[])[] = [],
): TextFault | null {
  if (/\{\{|\}\}/.test(text.replace(VARIABLE, ''))) return { rule: 'template-braces' };
  const names = namesIn(text);
  const unknown = names.find((name) => !allowed.some((each) => each === name));
  if (unknown !== undefined) return { rule: 'template-variable', name: unknown };
  const [missing] = needed.find((group) => !group.some((name) => names.includes(name))) ?? [];
  return missing === undefined ? null : { rule: 'template-missing', name: missing };
}

/** Values of variables; a variable without a value is empty. */
export type TemplateValues = Readonly<Partial<Record<TemplateVariable, string>>>;

/** Names come from people and devices: no line breaks, so that a value cannot imitate a line or a header. */
const oneLine = (text: string): string => text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();

const cut = (text: string, most: number): string => {
  const chars = [...text];
  return chars.length <= most ? text : `${chars.slice(0, most - 1).join('')}…`;
};

/** Values are filled in once, so that braces in a value stay as they are. */
const filled = (text: string, values: TemplateValues): string =>
  text.replace(VARIABLE, (_, name: TemplateVariable) => {
    const value = values[name] ?? '';
    return name === 'details' || name === 'instruction' ? value : oneLine(value);
  });

/** Fills in a text of one line. */
export function fillLine(text: string, values: TemplateValues): string {
  return oneLine(filled(text, values)).replaceAll(/ {2,}/g, ' ');
}

/** Fills in the subject of an e-mail. */
export const fillSubject = (text: string, values: TemplateValues): string =>
  cut(fillLine(text, values), MAX_FILLED_SUBJECT);

/**
 * Fills in a body. Only an e-mail has several lines; those whose variables are all empty are left out, such as that of
 * a link that the recipient does not get.
 */
export function fillBody(channel: TemplateChannel, text: string, values: TemplateValues): string {
  if (channel !== 'email') return cut(fillLine(text, values), MAX_FILLED[channel]);
  const lines = text.split(/\r?\n/).filter((line) => {
    const names = namesIn(line);
    return names.length === 0 || names.some((name) => values[name as TemplateVariable]);
  });
  const whole = lines.map((line) => filled(line, values)).join('\n');
  return cut(whole.replaceAll(/\n{3,}/g, '\n\n').trim(), MAX_FILLED.email);
}

/** Providers that send only texts which they have approved, known by an id. */
export const TEMPLATE_PROVIDERS = ['aliyun', 'tencent', 'wechat'] as const;
export type TemplateProvider = (typeof TEMPLATE_PROVIDERS)[number];

const PROVIDERS: Readonly<Record<TemplateChannel, readonly TemplateProvider[]>> = {
  email: [],
  sms: ['aliyun', 'tencent'],
  voice: ['aliyun'],
  wechat: ['wechat'],
};

/** Providers of a notification channel that have texts of their own. */
export const providersOf = (channel: TemplateChannel): readonly TemplateProvider[] => PROVIDERS[channel];

/** Largest number of parameters of a provider's template. */
const MAX_PARAMETERS = 12;

/**
 * Parameters of a provider's template: texts by name. Those of Tencent Cloud are numbered, so that their names are 1, 2,
 * and so on. Null if `json` is no object of texts.
 */
export function parametersOf(json: string): Readonly<Record<string, string>> | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(json);
  } catch {
    return null;
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return null;
  const entries = Object.entries(parsed);
  if (entries.length === 0 || entries.length > MAX_PARAMETERS) return null;
  const isText = entries.every(([name, value]) => /^\w{1,40}$/.test(name) && typeof value === 'string');
  return isText ? (parsed as Record<string, string>) : null;
}

/** What is wrong with the parameters of a provider's template; null if nothing is. */
export function faultOfParameters(
  provider: TemplateProvider,
  json: string,
  allowed: readonly TemplateVariable[],
): TextFault | { rule: 'template-parameters' } | null {
  const parameters = parametersOf(json);
  if (parameters === null) return { rule: 'template-parameters' };
  const names = Object.keys(parameters);
  if (provider === 'tencent' && !names.every((_, at) => String(at + 1) in parameters))
    return { rule: 'template-parameters' };
  for (const text of Object.values(parameters)) {
    const fault = faultOfText(text, allowed);
    if (fault) return fault;
  }
  return null;
}

/** Fills in the parameters of a provider's template. An empty one is a dash, because providers refuse empty ones. */
export function fillParameters(
  parameters: Readonly<Record<string, string>>,
  values: TemplateValues,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, text]) => [name, fillLine(text, values) || '-']),
  );
}

/** A provider's template with the values of its parameters. */
export interface FilledTemplate {
  templateId: string;
  parameters: Readonly<Record<string, string>>;
}

/** True if a provider has refused a message because of its template, so that another template may be accepted. */
export const isTemplateFault = (error: string): boolean =>
  /template/i.test(error.replace(/:.*$/s, '')) || /^(40037|47003)\b/.test(error);
