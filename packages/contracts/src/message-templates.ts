import { LANGUAGE_CODES } from '@isotherm/domain/access/languages';
import {
  faultOfParameters,
  faultOfText,
  kindsOfChannel,
  MAX_BODY,
  MAX_SUBJECT,
  neededVariables,
  providersOf,
  TEMPLATE_CHANNELS,
  TEMPLATE_KINDS,
  TEMPLATE_PROVIDERS,
  variablesFor,
} from '@isotherm/domain/notifications/message-template';
import { z } from 'zod';
import { prose, reason } from './fields.ts';
import { defineRoute, id, moment, pageOf, paging } from './route.ts';

/** One line of printable text, which may be empty. */
const line = (max: number) =>
  z
    .string()
    .trim()
    .max(max)
    .refine((text) => !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text), { error: 'control-characters' })
    .default('');
/** Id of a template at a provider; empty if the provider's own setting is used. */
const templateId = line(64).refine((text) => /^[\w-]*$/.test(text), { error: 'format' });
/** JSON object: texts by the names of the parameters. */
const parameters = z
  .string()
  .trim()
  .max(1_000)
  // Half of a character cannot be stored.
  .refine((text) => !/\p{Cs}/u.test(text), { error: 'control-characters' })
  .default('');

const shape = {
  channel: z.enum(TEMPLATE_CHANNELS),
  kind: z.enum(TEMPLATE_KINDS),
  language: z.enum(LANGUAGE_CODES),
  /** Subject of an e-mail; ignored otherwise. */
  subject: line(MAX_SUBJECT),
  /** Text with variables in double braces. Only that of an e-mail has several lines. */
  body: prose(Math.max(...Object.values(MAX_BODY))).min(1),
  /** Templates of providers that send approved texts only; those of other notification channels are ignored. */
  aliyunTemplate: templateId,
  aliyunParameters: parameters,
  tencentTemplate: templateId,
  tencentParameters: parameters,
  wechatTemplate: templateId,
  wechatParameters: parameters,
};

/** Checks what depends on several fields, with each error at its field. */
function checkTemplate(template: z.output<z.ZodObject<typeof shape>>, context: z.RefinementCtx): void {
  const { channel, kind, subject, body } = template;
  const refuse = (field: string, { rule, ...params }: { rule: string }) =>
    context.addIssue({ code: 'custom', message: rule, path: [field], params });
  if (!kindsOfChannel(channel).includes(kind)) {
    refuse('kind', { rule: 'template-kind' });
    return;
  }
  const inBody = variablesFor(channel, kind);
  const inLine = variablesFor(channel, kind, 'subject');
  if (channel === 'email') {
    const fault = subject === '' ? { rule: 'required' } : faultOfText(subject, inLine);
    if (fault) refuse('subject', fault);
  } else if (/[\n\r]/.test(body)) refuse('body', { rule: 'template-one-line' });
  if (body.length > MAX_BODY[channel])
    context.addIssue({
      code: 'too_big',
      origin: 'string',
      maximum: MAX_BODY[channel],
      input: body,
      path: ['body'],
    });
  const fault = faultOfText(body, inBody, neededVariables(kind));
  if (fault) refuse('body', fault);
  for (const provider of TEMPLATE_PROVIDERS) {
    if (!providersOf(channel).includes(provider)) continue;
    const wanted = template[`${provider}Parameters`];
    if (template[`${provider}Template`] === '') continue;
    const wrong = faultOfParameters(provider, wanted, inLine);
    if (wrong) refuse(`${provider}Parameters`, wrong);
  }
}

export const messageTemplateInput = z
  .strictObject({ organizationId: id, ...shape })
  .superRefine(checkTemplate);
export type MessageTemplateInput = z.output<typeof messageTemplateInput>;

export const messageTemplate = z.object({
  id: z.number().int(),
  organizationId: z.number().int(),
  organizationName: z.string(),
  ...shape,
  changedBy: z.string(),
  changedAt: moment,
});
export type MessageTemplateView = z.output<typeof messageTemplate>;

export const listMessageTemplates = defineRoute({
  name: 'listMessageTemplates',
  method: 'GET',
  path: '/message-template',
  access: 'alarm-templates:view',
  summary: 'Notification texts of own and subordinate organisations',
  query: z.object({
    ...paging,
    /** Searched in subjects and texts. */
    search: z.string().max(100).default(''),
    channel: z.enum(TEMPLATE_CHANNELS).optional(),
    kind: z.enum(TEMPLATE_KINDS).optional(),
    language: z.enum(LANGUAGE_CODES).optional(),
    sort: z.enum(['channel', 'organization', 'changedAt']).default('channel'),
    order: z.enum(['asc', 'desc']).default('asc'),
  }),
  response: pageOf(messageTemplate),
});

/** Reads a template. Throws `message_template.not_found`. */
export const getMessageTemplate = defineRoute({
  name: 'getMessageTemplate',
  method: 'GET',
  path: '/message-template/:id',
  access: 'alarm-templates:view',
  summary: 'One notification text',
  params: z.object({ id }),
  response: messageTemplate,
});

/**
 * The text that an organisation uses as long as it has no own one: that of the nearest organisation above it, or the
 * built-in one, in which variables stand for the values. Throws `organization.not_found`.
 */
export const getInheritedTemplate = defineRoute({
  name: 'getInheritedTemplate',
  method: 'GET',
  path: '/message-template/inherited',
  access: 'alarm-templates:view',
  summary: 'The text that an organisation uses without an own one',
  query: z.object({
    organizationId: id,
    channel: z.enum(TEMPLATE_CHANNELS),
    kind: z.enum(TEMPLATE_KINDS),
    language: z.enum(LANGUAGE_CODES),
  }),
  response: z.object({
    /** Name of the organisation that it comes from; null if it is the built-in text. */
    organizationName: z.string().nullable(),
    subject: z.string(),
    body: z.string(),
  }),
});

/** Throws `organization.not_found`, `message_template.taken`. */
export const createMessageTemplate = defineRoute({
  name: 'createMessageTemplate',
  method: 'POST',
  path: '/message-template',
  access: 'alarm-templates:edit',
  summary: 'Replace a notification text',
  body: messageTemplateInput,
  response: messageTemplate,
});

/** Throws `organization.not_found`, `message_template.not_found|taken`. */
export const editMessageTemplate = defineRoute({
  name: 'editMessageTemplate',
  method: 'PUT',
  path: '/message-template/:id',
  access: 'alarm-templates:edit',
  summary: 'Change a notification text',
  params: z.object({ id }),
  body: messageTemplateInput,
  response: messageTemplate,
});

/** Deletes an own text, so that the inherited one applies again. Throws `message_template.not_found`. */
export const resetMessageTemplate = defineRoute({
  name: 'resetMessageTemplate',
  method: 'DELETE',
  path: '/message-template/:id',
  access: 'alarm-templates:edit',
  summary: 'Reset a notification text to the inherited or built-in one',
  params: z.object({ id }),
  body: z.strictObject({ reason }),
  response: z.null(),
});

export const templatePreview = z.object({
  /** Subject of an e-mail; empty otherwise. */
  subject: z.string(),
  body: z.string(),
  /** Length of an SMS; null for others. */
  sms: z
    .object({ encoding: z.enum(['gsm-7', 'ucs-2']), places: z.number().int(), segments: z.number().int() })
    .nullable(),
  /** Templates of providers with the values of their parameters. */
  providers: z.array(
    z.object({
      provider: z.enum(TEMPLATE_PROVIDERS),
      templateId: z.string(),
      parameters: z.array(z.object({ name: z.string(), value: z.string() })),
    }),
  ),
  /** The alarm whose values are shown; null if the organisation has none, so that they are an example. */
  alarm: z.object({ id: z.number().int(), asset: z.string(), raisedAt: moment }).nullable(),
});
export type TemplatePreview = z.output<typeof templatePreview>;

/**
 * Renders a text, as it would be sent to the caller, with the latest alarm of the organisation. Changes nothing. Throws
 * `organization.not_found`.
 */
export const previewMessageTemplate = defineRoute({
  name: 'previewMessageTemplate',
  method: 'POST',
  path: '/message-template/preview',
  access: 'alarm-templates:view',
  summary: 'Preview of a notification text with a real alarm',
  body: messageTemplateInput,
  response: templatePreview,
});

/** Most test messages of an account within a day. */
export const MAX_TEMPLATE_TESTS = 20;

/**
 * Sends a text to the caller, marked as a test. SMS and calls are charged. Throws `organization.not_found`,
 * `message_template.unreachable|transport|balance|too_many|person_only`.
 */
export const testMessageTemplate = defineRoute({
  name: 'testMessageTemplate',
  method: 'POST',
  path: '/message-template/test',
  access: 'alarm-templates:edit',
  summary: 'Send a notification text to oneself',
  body: messageTemplateInput,
  response: z.object({
    /** `queued`: an e-mail was handed to the mail queue. */
    outcome: z.enum(['queued', 'sent', 'failed']),
    /** Error of the provider. */
    error: z.string(),
    /** Address or number that it was sent to; empty for WeChat. */
    recipient: z.string(),
  }),
});
