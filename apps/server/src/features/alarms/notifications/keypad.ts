import { DEFAULT_LINK_LEVEL, linkFault, UNUSED } from '@isotherm/domain/alarms/acknowledge-link';
import type { Person } from '@isotherm/domain/alarms/person';
import { isNumberOf } from '@isotherm/domain/notifications/receipt';
import { ACKNOWLEDGE_KEY } from '@isotherm/domain/notifications/voice-provider';
import type { Language } from '@isotherm/i18n/languages';
import type pg from 'pg';
import type { Audit } from '../../../platform/audit/audit.ts';
import type { Clock } from '../../../platform/clock.ts';
import { type Db, type Tx, transaction } from '../../../platform/db/pool.ts';
import { type AlarmView, findAlarmsById } from '../alarm-view.repo.ts';
import type { News } from '../evaluator.ts';
import {
  acknowledgeInName,
  findLinkPerson,
  findLinkSetting,
  type LinkPerson,
} from '../links/acknowledge-links.repo.ts';
import { LINK_ACTOR } from '../links/acknowledge-links.ts';
import type { Parcel } from './claims.ts';
import { findCall, markPressed } from './keypad.repo.ts';
import { lockAlarmsOf } from './receipts.repo.ts';
import { lockSms } from './sms.repo.ts';

/** True if a person may acknowledge all alarms of a call by pressing a key. */
export type CanPress = (db: Db, parcel: Parcel, person: Person) => Promise<boolean>;

/** What a key that was pressed during a call has done. */
export type PressResult = 'acknowledged' | 'already' | 'refused';

/** Takes the keys that people press during calls. */
export interface Keypad {
  /**
   * The key 1 acknowledges the alarms of a call in the name of its recipient, under the rules of acknowledge links. Null for an
   * unknown call. The origin of the key has been verified.
   */
  press(call: {
    messageId: string;
    number: string;
    key: string;
    address: string;
  }): Promise<{ result: PressResult; language: Language } | null>;
}

/** How long after a call its key counts; providers report it within seconds. */
const KEY_COUNTS_MS = 60 * 60_000;

/** Why a key does not acknowledge an alarm; null if it does. Fields that the policy requires cannot be entered by a key. */
async function faultOf(db: Db, alarm: AlarmView): Promise<string | null> {
  const { peakLevel, mustSign, acknowledgement, required } = alarm;
  const highest = (await findLinkSetting(db, alarm.id))?.level ?? DEFAULT_LINK_LEVEL;
  const fault = linkFault({ peakLevel, mustSign, isAcknowledged: acknowledgement !== null }, highest, UNUSED);
  return fault ?? (required.length > 0 ? 'required' : null);
}

export const canPress: CanPress = async (db, parcel, person) => {
  for (const alarm of await findAlarmsById(db, [...new Set(parcel.map(({ alarmId }) => alarmId))])) {
    if ((await faultOf(db, alarm)) !== null) return false;
    if (!(await findLinkPerson(db, person.type, person.id, alarm.organizationPath))) return false;
  }
  return true;
};

export function createKeypad(parts: {
  pool: pg.Pool;
  audit: Pick<Audit, 'record'>;
  clock: Clock;
  announce: (news: News) => void;
}): Keypad {
  const { pool, audit, clock, announce } = parts;

  async function acknowledge(tx: Tx, alarm: AlarmView, person: LinkPerson, address: string): Promise<void> {
    const said = { reason: undefined, cause: '', correctiveAction: '' };
    await acknowledgeInName(tx, alarm.id, person, said, new Date(clock.now()));
    await audit.record(
      tx,
      // The name of a receiver is chosen by a tenant, so it must not stand where user names stand.
      { accountId: person.accountId, username: person.username ?? LINK_ACTOR, sessionId: null, address },
      {
        action: 'acknowledge-alarm',
        objectKind: 'alarm',
        objectId: alarm.id,
        objectName: alarm.assetName,
        reason: '',
        after: { byCall: person.name },
        organizationPath: alarm.organizationPath,
      },
    );
  }

  return {
    async press({ messageId, number, key, address }) {
      if (!/^\d{1,15}$/.test(messageId)) return null;
      const id = Number(messageId);
      const done: AlarmView[] = [];
      const pressed = await transaction(pool, async (tx) => {
        const message = await lockSms(tx, id);
        if (!message || !isNumberOf(message.number, number)) return null;
        const call = await findCall(tx, id);
        if (!call) return null;
        const { language } = message;
        const refused = { result: 'refused' as const, language };
        if (key !== ACKNOWLEDGE_KEY) return refused;
        await lockAlarmsOf(tx, id);
        const alarms = await findAlarmsById(
          tx,
          call.alarms.map((each) => each.id),
        );
        if (alarms.every(({ acknowledgement }) => acknowledgement !== null))
          return { result: 'already' as const, language };
        if (call.isPressed || clock.now() - call.at > KEY_COUNTS_MS) return refused;
        for (const alarm of alarms) {
          // An alarm that has become more severe since the call is not what the person has heard of.
          const heard = call.alarms.find((each) => each.id === alarm.id)?.level ?? 0;
          const person = await findLinkPerson(tx, call.personType, call.personId, alarm.organizationPath);
          if (!person || alarm.peakLevel > heard || (await faultOf(tx, alarm)) !== null) continue;
          await acknowledge(tx, alarm, person, address);
          done.push(alarm);
        }
        if (done.length === 0) return refused;
        await markPressed(tx, id, new Date(clock.now()));
        return { result: 'acknowledged' as const, language };
      });
      if (done.length > 0)
        announce({
          alarms: done.map((alarm) => ({ id: alarm.id, topic: 'alarm.changed' as const })),
          assetIds: done.flatMap(({ assetId }) => assetId ?? []),
        });
      return pressed;
    },
  };
}
