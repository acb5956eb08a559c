import { z } from 'zod';
import { defineRoute, moment, pageOf, paging } from './route.ts';

export const MESSAGE_CHANNELS = ['sms', 'email'] as const;
export type MessageChannel = (typeof MESSAGE_CHANNELS)[number];

/**
 * Templates of messages to users. Their texts are `messages.<template>.subject` and
 * `messages.<template>.text`.
 */
export const MESSAGE_TEMPLATES = [
  'alarm-group',
  'alarm-limit',
  'alarm-limit-wechat',
  'alarm-notification',
  'alarm-test',
  'announcement',
  'authorization-reminder',
  'backup-failed',
  'balance-warning',
  'data-backup',
  'expiry-reminder',
  'registration-approved',
  'registration-rejected',
  'scheduled-report',
  'verification-code',
  'waybill-delay',
  'waybill-excursion',
] as const;
export type MessageTemplate = (typeof MESSAGE_TEMPLATES)[number];

export const MESSAGE_STATUSES = ['pending', 'sent', 'failed'] as const;

/** A message with its final text. */
export const mailboxMessage = z.object({
  id: z.number().int(),
  channel: z.enum(MESSAGE_CHANNELS),
  recipient: z.string(),
  template: z.enum(MESSAGE_TEMPLATES),
  language: z.string(),
  /** Subject; empty for an SMS. */
  subject: z.string(),
  text: z.string(),
  status: z.enum(MESSAGE_STATUSES),
  attempts: z.number().int(),
  error: z.string(),
  createdAt: moment,
  sentAt: moment.nullable(),
});
export type MailboxMessage = z.output<typeof mailboxMessage>;

/**
 * GET /mailbox: lists the messages of a test installation. Responds with 404 outside development and
 * sandbox.
 */
export const listMailbox = defineRoute({
  name: 'listMailbox',
  method: 'GET',
  path: '/mailbox',
  access: 'mailbox:view',
  summary: 'Messages that the development transport delivered, newest first',
  query: z.object({
    ...paging,
    /** Search text for a part of a phone number or an address. */
    search: z.string().trim().max(100).default(''),
    channel: z.enum(MESSAGE_CHANNELS).optional(),
  }),
  response: pageOf(mailboxMessage),
});
