import {
  acknowledgeByLink,
  type LinkedAlarmView,
  lookAtAlarmLink,
} from '@isotherm/contracts/acknowledge-links';
import { type AcknowledgementInput, acknowledgementOf } from '@isotherm/contracts/alarms';
import { AppError, InvalidFieldsError } from '@isotherm/contracts/errors';
import { wordIssues } from '@isotherm/contracts/validation';
import {
  DEFAULT_LINK_LEVEL,
  LINK_LIFE_MS,
  linkFault,
  MOST_PIN_TRIES,
  UNUSED,
} from '@isotherm/domain/alarms/acknowledge-link';
import type { NotificationChannel } from '@isotherm/domain/alarms/graded-policy';
import { faultWords } from '@isotherm/i18n/alarm-words';
import type { Language } from '@isotherm/i18n/languages';
import type { TextId } from '@isotherm/i18n/text-id';
import type { Translate } from '@isotherm/i18n/translator';
import type pg from 'pg';
import type { Audit } from '../../../platform/audit/audit.ts';
import type { Clock } from '../../../platform/clock.ts';
import { type Db, type Tx, transaction } from '../../../platform/db/pool.ts';
import type { Mount } from '../../../platform/http/mount.ts';
import {
  type FindLink,
  type PublicLink,
  type PublicLinks,
  TOKEN_LENGTH,
} from '../../../platform/public-links/public-links.ts';
import type { Sealing } from '../../../platform/sealing.ts';
import { lockAlarm } from '../alarm-actions.repo.ts';
import { alarmSentence } from '../alarm-sentence.ts';
import { type AlarmView, findAlarmsById } from '../alarm-view.repo.ts';
import type { News } from '../evaluator.ts';
import type { DueNotification } from '../notifications/notifications.repo.ts';
import { acknowledgeInName, findLinkPerson, findLinkSetting } from './acknowledge-links.repo.ts';

export const PURPOSE = 'alarm-acknowledge';

/** Returns the address of a link that acknowledges the alarm of a notification; null if there is to be none. */
export type MakeLink = (
  tx: Tx,
  notification: Pick<DueNotification, 'alarmId' | 'kind'>,
  person: { type: string; id: number },
  sentBy: NotificationChannel,
) => Promise<string | null>;

async function faultOf(
  db: Db,
  alarm: AlarmView,
  use: Pick<PublicLink, 'isUsed' | 'pinTries'> | null,
): Promise<LinkedAlarmView['fault']> {
  const { peakLevel, mustSign, acknowledgement } = alarm;
  const setting = await findLinkSetting(db, alarm.id);
  return linkFault(
    { peakLevel, mustSign, isAcknowledged: acknowledgement !== null },
    setting?.level ?? DEFAULT_LINK_LEVEL,
    use ?? UNUSED,
  );
}

/** Creates the function that makes the acknowledge links of messages. */
export function createMakeLink(links: PublicLinks, clock: Clock, consoleUrl: string | null): MakeLink {
  return async (tx, { alarmId, kind }, person, sentBy) => {
    if (consoleUrl === null || kind === 'ended') return null;
    const [alarm] = await findAlarmsById(tx, [alarmId]);
    if (!alarm || (await faultOf(tx, alarm, null)) !== null) return null;
    const token = await links.create(
      tx,
      { purpose: PURPOSE, subjectId: alarmId, person, lifeMs: LINK_LIFE_MS, mostUses: 1, sentBy },
      clock.now(),
    );
    return `${consoleUrl}/link/${token}`;
  };
}

/** Links in SMS, if the policy of the alarm wants them: an SMS with a link costs more units. */
export interface SmsLinks {
  /** Length of the address of a link that `make` would return; null if there is to be none. */
  lengthFor(tx: Tx, notification: Pick<DueNotification, 'alarmId' | 'kind'>): Promise<number | null>;
  make: MakeLink;
  /** Encrypts the address for the time until the last attempt. */
  seal(link: string): Buffer;
  /** Decrypts the address; null if it was sealed with another secret. */
  open(sealed: Buffer): string | null;
}

const SEALED = 'sms-acknowledge-link';

export function createSmsLinks(
  make: MakeLink,
  sealing: Pick<Sealing, 'seal' | 'open'>,
  consoleUrl: string | null,
): SmsLinks {
  return {
    async lengthFor(tx, { alarmId, kind }) {
      if (consoleUrl === null || kind === 'ended') return null;
      if ((await findLinkSetting(tx, alarmId))?.inSms !== true) return null;
      const [alarm] = await findAlarmsById(tx, [alarmId]);
      if (!alarm || (await faultOf(tx, alarm, null)) !== null) return null;
      return `${consoleUrl}/link/`.length + TOKEN_LENGTH;
    },
    make,
    seal: (link) => sealing.seal(SEALED, Buffer.from(link)),
    open: (sealed) => sealing.open(SEALED, sealed)?.toString() ?? null,
  };
}

/** Name in the log of a person without an account; the entry says which receiver it was. */
export const LINK_ACTOR = 'link';

export interface AcknowledgeLinkParts {
  pool: pg.Pool;
  links: PublicLinks;
  audit: Pick<Audit, 'record'>;
  clock: Clock;
  translate: Translate;
  announce: (news: News) => void;
  findLink: FindLink;
  /** Keyed hash of the PIN of a receiver. */
  pinMacOf: (receiverId: number, pin: string) => string;
}

/**
 * Mounts the page of acknowledge links: whoever has the link sees the alarm, and acknowledges it once, in the name of the
 * recipient of the message. Opening the link changes nothing, because mail servers do that.
 */
export function mountAcknowledgeLinks(mount: Mount, parts: AcknowledgeLinkParts): void {
  const { pool, links, audit, clock, translate, announce, findLink, pinMacOf } = parts;

  async function partsOf(db: Db, link: PublicLink | null) {
    if (!link) throw new AppError('link.not_found');
    const [alarm] = await findAlarmsById(db, [link.subjectId]);
    const person =
      alarm && (await findLinkPerson(db, link.personType, link.personId, alarm.organizationPath));
    if (!alarm || !person) throw new AppError('link.not_found');
    return { alarm, person };
  }

  async function viewOf(db: Db, link: PublicLink | null, language: Language): Promise<LinkedAlarmView> {
    const { alarm, person } = await partsOf(db, link);
    const word = (id: TextId, values?: Record<string, string | number>) => translate(language, id, values);
    return {
      level: alarm.peakLevel,
      title: `${alarm.assetName} · ${faultWords(alarm.indicator, alarm.kind, word)}`,
      message: alarmSentence(alarm, language, translate),
      organizationName: alarm.organizationName,
      place: alarm.place,
      raisedAt: alarm.raisedAt,
      endedAt: alarm.endedAt,
      recipient: person.name,
      acknowledgedBy: alarm.acknowledgement?.by ?? null,
      fault: await faultOf(db, alarm, link),
      needsPin: person.pinMac !== null,
      required: alarm.required,
    };
  }

  /**
   * Checks the PIN of the recipient. Each entered PIN is counted before it is compared, and outside of the transaction that
   * acknowledges, so that no number of callers at once can try more.
   */
  async function checkPin(token: string, pin: string): Promise<void> {
    const link = await links.find(pool, PURPOSE, token, clock.now());
    const { alarm, person } = await partsOf(pool, link);
    if (person.pinMac === null || link?.personId == null) return;
    if ((await faultOf(pool, alarm, link)) !== null) throw new AppError('link.refused');
    if (!(await links.tryPin(pool, PURPOSE, token, clock.now(), MOST_PIN_TRIES)))
      throw new AppError('link.refused');
    if (pinMacOf(link.personId, pin) !== person.pinMac)
      throw new AppError('link.wrong_pin', { left: Math.max(0, MOST_PIN_TRIES - link.pinTries - 1) });
    await links.acceptPin(pool, PURPOSE, token);
  }

  async function acknowledge(
    token: string,
    said: AcknowledgementInput,
    level: number,
    address: string,
  ): Promise<AlarmView> {
    return transaction(pool, async (tx) => {
      const now = clock.now();
      const link = await links.find(tx, PURPOSE, token, now);
      if (link) await lockAlarm(tx, link.subjectId);
      const { alarm, person } = await partsOf(tx, link);
      if ((await faultOf(tx, alarm, link)) !== null) throw new AppError('link.refused');
      if (alarm.peakLevel > level) throw new AppError('alarm.climbed', { level: alarm.peakLevel });
      const checked = acknowledgementOf(alarm.required).safeParse(said);
      if (!checked.success) throw new InvalidFieldsError(wordIssues(checked.error, said));
      if (!(await links.use(tx, PURPOSE, token, now))) throw new AppError('link.refused');
      await acknowledgeInName(tx, alarm.id, person, said, new Date(now));
      await audit.record(
        tx,
        // The name of a receiver is chosen by a tenant, so it must not stand where user names stand.
        { accountId: person.accountId, username: person.username ?? LINK_ACTOR, sessionId: null, address },
        {
          action: 'acknowledge-alarm',
          objectKind: 'alarm',
          objectId: alarm.id,
          objectName: alarm.assetName,
          reason: said.correctiveAction || said.cause,
          after: { byLink: person.name },
          organizationPath: alarm.organizationPath,
        },
      );
      return alarm;
    });
  }

  mount(lookAtAlarmLink, async ({ body, language, address }) => {
    return viewOf(pool, await findLink(PURPOSE, body.token, address), language);
  });
  mount(acknowledgeByLink, async ({ body: { token, level, pin, ...said }, language, address }) => {
    await findLink(PURPOSE, token, address);
    await checkPin(token, pin);
    const { id, assetId } = await acknowledge(token, said, level, address);
    announce({ alarms: [{ id, topic: 'alarm.changed' }], assetIds: assetId ? [assetId] : [] });
    return viewOf(pool, await links.find(pool, PURPOSE, token, clock.now()), language);
  });
}
