import { AppError } from '@isotherm/contracts/errors';
import type {
  listMailbox,
  MailboxMessage,
  MessageChannel,
  MessageTemplate,
} from '@isotherm/contracts/mailbox';
import type { Language } from '@isotherm/i18n/languages';
import type { Translate } from '@isotherm/i18n/translator';
import type pg from 'pg';
import type { z } from 'zod';
import type { Clock } from '../clock.ts';
import type { Db, Tx } from '../db/pool.ts';
import type { FileStore } from '../files/file-store.ts';
import { createGate } from '../gate.ts';
import { gathered } from '../gathered.ts';
import { addTask, addTasks, type Job, type Task } from '../jobs/jobs.ts';
import type { Sealing } from '../sealing.ts';
import {
  type Attempt,
  deleteMessagesBefore,
  eraseParamsSettledBefore,
  findMessages,
  findWithoutTask,
  insertMessages,
  listMessages,
  type MessageRow,
  noteAttempts,
} from './messages.repo.ts';
import { type Letter, RefusedLetterError, type Transports } from './transport.ts';

type Params = Record<string, string | number>;

/** Subject and text of a message that replace those of its template. */
export interface OwnLetter {
  subject: string;
  text: string;
}

/** A file of the file storage that is attached to an e-mail. It is read at each attempt to deliver it. */
export interface MessageFile {
  key: string;
  fileName: string;
  mediaType: string;
}

export interface NewMessage {
  channel: MessageChannel;
  /** Phone number or e-mail address. */
  recipient: string;
  template: MessageTemplate;
  /** Values of the template, stored encrypted because they may contain a code. */
  params: Params;
  /** Text that is sent instead of that of the template; the values of the template are stored all the same. */
  ownText?: OwnLetter;
  attachment?: MessageFile;
  /** Language of the recipient. */
  language: Language;
  /** Organisation of the recipient; null if there is no account yet. */
  organizationId: number | null;
  /** Delivery is retried until this time; without a time, a limited number of times. */
  expiresAt?: Date;
  /** True if the message has its own workers and connections, so that it waits for no other message. */
  isUrgent?: boolean;
}

/** Messages to users: written in the transaction that causes them, delivered by a worker after its commit. */
export interface Messages {
  /** Returns whether this notification channel has a transport. */
  canDeliver(channel: MessageChannel): boolean;
  /**
   * Writes a message; returns its id.
   *
   * @throws {AppError} `message.no_transport` if the notification channel has no transport.
   */
  enqueue(tx: Tx, message: NewMessage): Promise<number>;
  /**
   * Writes several messages in two statements; returns their ids in the same order.
   *
   * @throws {AppError} `message.no_transport`
   */
  enqueueAll(tx: Tx, messages: readonly NewMessage[]): Promise<number[]>;
  list(
    scope: string,
    query: z.output<(typeof listMailbox)['query']>,
  ): Promise<{ items: MailboxMessage[]; total: number }>;
  tasks: readonly Task[];
  /** The tasks of urgent messages. */
  urgentTasks: readonly Task[];
  jobs: readonly Job[];
}

const MAX_ATTEMPTS = 8;
/**
 * The queue retries a task very often. After `sweptAfter` attempts, with waits of up to two and a half
 * minutes, the sweep adds a new task.
 */
const TASK = { name: 'message-deliver', maxAttempts: 100, sweptAfter: 6 };
const URGENT_TASK = { ...TASK, name: 'message-deliver-urgent' };
const SWEEP_AFTER_MS = 2 * 60_000;
const SWEEP_MOST = 500;
/** Largest number of messages that are read, and of outcomes that are stored, in one statement. */
const GATHERED = 100;
/** Messages with a file that are sent at the same time, since the whole file is in memory. */
const WITH_FILE = { atOnce: 8, waiting: 1_000 };
/** Time for which an ordinary message waits for others to be read or stored in the same statement. */
const GATHERED_FOR_MS = 20;
/**
 * Time for which a delivered message stays readable: long enough to investigate a missing message, and too
 * short for its codes to be useful to a thief.
 */
const READABLE_MS = 10 * 60_000;
const KEPT_MS = 90 * 86_400_000;
const PURPOSE = 'message-params';
/**
 * Parameters with an own text. It is stored beside the values of the template, so that a process of a release without
 * own texts sends the built-in one.
 */
const OWN_SUBJECT = 'ownSubject';
const OWN_TEXT = 'ownText';
/** Parameters with the file of an e-mail. */
const FILE = { key: 'fileKey', name: 'fileName', type: 'fileType' };
/** Values for parameters that messages of the previous release lack; without one, a text would be its own source. */
const ABSENT_BEFORE: Params = { hasAcknowledgeLink: 'no', acknowledgeLink: '' };

export function createMessages(options: {
  pool: pg.Pool;
  /**
   * Pool of the delivery. Its commits need not wait for the disk: a delivery whose end is lost is repeated with the same
   * message id.
   */
  deliveryPool?: pg.Pool;
  sealing: Pick<Sealing, 'seal' | 'open'>;
  clock: Clock;
  translate: Translate;
  transports: Transports;
  /** Storage of attached files. */
  files?: Pick<FileStore, 'read'>;
  /** Whether messages stay readable, which the mailbox page needs. */
  keepsReadable: boolean;
}): Messages {
  const { pool, sealing, clock, translate, transports, files, keepsReadable } = options;
  const { deliveryPool = pool } = options;

  /** Reads messages and stores their outcomes, several in one statement. */
  const createStore = (waitMs: number) => ({
    find: gathered((ids: readonly number[]) => findMessages(deliveryPool, ids), GATHERED, waitMs),
    note: gathered(
      async (attempts: readonly Attempt[]) => {
        await noteAttempts(deliveryPool, attempts);
        return attempts.map(() => undefined);
      },
      GATHERED,
      waitMs,
    ),
  });
  const withFile = createGate(WITH_FILE, () => new Error('too many messages with files'));
  const ordinary = createStore(GATHERED_FOR_MS);
  const urgent = createStore(0);

  async function deliver(id: number, isUrgent: boolean): Promise<void> {
    const { find, note } = isUrgent ? urgent : ordinary;
    const message = await find(id);
    if (message?.status !== 'pending') return;
    const now = clock.now();
    const fail = (error: string) => note({ id, status: 'failed', error, settledAt: now });
    if (message.expires_at && message.expires_at.getTime() <= now) return fail('expired');
    const params = paramsOf(message);
    const transport = transports[message.channel];
    if (!params) return fail('unreadable');
    if (!transport) return fail('no transport');
    const letter = { ...letterOf(message, params), isUrgent };
    try {
      const file = fileOf(params);
      if (file) await withFile.pass(async () => transport({ ...letter, attachment: await read(file) }));
      else await transport(letter);
    } catch (error) {
      const reason = error instanceof Error ? error.message.slice(0, 500) : 'failed';
      const isLast = !message.expires_at && message.attempts + 1 >= MAX_ATTEMPTS;
      if (isLast || error instanceof RefusedLetterError) return fail(reason);
      await note({ id, status: 'pending', error: reason, settledAt: null });
      throw error;
    }
    await note({ id, status: 'sent', error: '', settledAt: clock.now() });
  }

  /** Returns the values of a message; null if they were erased, or encrypted with another secret. */
  function paramsOf({ sealed_params }: MessageRow): Params | null {
    const opened = sealed_params && sealing.open(PURPOSE, sealed_params);
    return opened ? (JSON.parse(opened.toString('utf8')) as Params) : null;
  }

  /** Returns the rendered message. */
  function letterOf({ id, recipient, language, template, channel }: MessageRow, stored: Params): Letter {
    const params = { ...ABSENT_BEFORE, ...stored };
    const own = stored[OWN_TEXT] === undefined ? null : stored;
    return {
      id,
      recipient,
      subject:
        channel !== 'email'
          ? ''
          : String(own?.[OWN_SUBJECT] ?? translate(language, `messages.${template}.subject`, params)),
      text: String(own?.[OWN_TEXT] ?? translate(language, `messages.${template}.text`, params)),
    };
  }

  /** Returns the file that is attached to an e-mail; null if there is none. */
  function fileOf(stored: Params): MessageFile | null {
    if (stored[FILE.key] === undefined) return null;
    const [key, fileName, mediaType] = [FILE.key, FILE.name, FILE.type].map((each) => String(stored[each]));
    return { key, fileName, mediaType } as MessageFile;
  }

  async function read({ key, fileName, mediaType }: MessageFile) {
    const body = await files?.read(key);
    if (!body) throw new RefusedLetterError('the attached file was deleted');
    const pieces: Uint8Array[] = [];
    for await (const piece of body) pieces.push(piece);
    return { fileName, mediaType, bytes: Buffer.concat(pieces) };
  }

  async function enqueueAll(tx: Tx, wanted: readonly NewMessage[]): Promise<number[]> {
    for (const { channel } of wanted)
      if (!transports[channel]) throw new AppError('message.no_transport', { channel });
    if (wanted.length === 0) return [];
    const now = clock.now();
    const ids = await insertMessages(
      tx,
      wanted.map(({ params, ownText, attachment, expiresAt, ...message }) => ({
        ...message,
        sealedParams: sealing
          .seal(
            PURPOSE,
            Buffer.from(
              JSON.stringify({
                ...params,
                ...(ownText ? { [OWN_SUBJECT]: ownText.subject, [OWN_TEXT]: ownText.text } : {}),
                ...(attachment
                  ? {
                      [FILE.key]: attachment.key,
                      [FILE.name]: attachment.fileName,
                      [FILE.type]: attachment.mediaType,
                    }
                  : {}),
              }),
            ),
          )
          .toString('base64'),
        expiresAt: expiresAt?.getTime() ?? null,
      })),
      new Date(now),
    );
    for (const task of [URGENT_TASK, TASK]) {
      const ofTask = ids.filter((_, at) => (wanted[at]?.isUrgent ?? false) === (task === URGENT_TASK));
      if (ofTask.length > 0)
        await addTasks(
          tx,
          task.name,
          ofTask.map((id) => ({ payload: { id }, key: keyOf(id) })),
          task.maxAttempts,
        );
    }
    return ids;
  }

  return {
    canDeliver: (channel) => transports[channel] !== undefined,
    enqueue: async (tx, message) => (await enqueueAll(tx, [message]))[0] as number,
    enqueueAll,
    async list(scope, query) {
      if (!keepsReadable) throw new AppError('request.not_found');
      const { rows, total } = await listMessages(
        pool,
        { scope, search: query.search, channel: query.channel ?? null },
        query.pageSize,
        (query.page - 1) * query.pageSize,
      );
      return {
        items: rows.map((row) => {
          const params = paramsOf(row);
          return viewOf(row, params && letterOf(row, params));
        }),
        total,
      };
    },
    tasks: [{ name: TASK.name, run: (payload) => deliver((payload as { id: number }).id, false) }],
    urgentTasks: [
      { name: URGENT_TASK.name, run: (payload) => deliver((payload as { id: number }).id, true) },
    ],
    jobs: [
      {
        // Job for messages whose task was lost, for example because the process died, or waits too long for
        // its next attempt.
        name: 'message-sweep',
        cron: '*/2 * * * *',
        async run() {
          for (const id of await findWithoutTask(
            pool,
            TASK,
            new Date(clock.now() - SWEEP_AFTER_MS),
            SWEEP_MOST,
          ))
            await addDelivery(pool, id);
        },
      },
      {
        name: 'message-prune',
        cron: '*/5 * * * *',
        async run() {
          if (!keepsReadable) await eraseParamsSettledBefore(pool, new Date(clock.now() - READABLE_MS));
          await deleteMessagesBefore(pool, new Date(clock.now() - KEPT_MS));
        },
      },
    ],
  };
}

/** Key of the task of a message in the queue, urgent or not. The sweep looks for it. */
const keyOf = (id: number) => `${TASK.name}:${id}`;

const addDelivery = (db: Db, id: number) =>
  addTask(db, TASK.name, { id }, { key: keyOf(id), maxAttempts: TASK.maxAttempts });

function viewOf(row: MessageRow, letter: Letter | null): MailboxMessage {
  return {
    id: row.id,
    channel: row.channel,
    recipient: row.recipient,
    template: row.template,
    language: row.language,
    subject: letter?.subject ?? '',
    text: letter?.text ?? '',
    status: row.status,
    attempts: row.attempts,
    error: row.error,
    createdAt: row.created_at.toISOString(),
    sentAt: row.status === 'sent' ? (row.settled_at?.toISOString() ?? null) : null,
  };
}
