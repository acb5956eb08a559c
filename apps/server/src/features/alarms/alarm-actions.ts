import {
  type AcknowledgementInput,
  type Alarm,
  acknowledgementOf,
  type getAlarmCourse,
} from '@isotherm/contracts/alarms';
import { AppError, type ErrorCode, InvalidFieldsError } from '@isotherm/contracts/errors';
import type { ResponseOf } from '@isotherm/contracts/route';
import type { SignatureInput } from '@isotherm/contracts/signatures';
import { wordIssues } from '@isotherm/contracts/validation';
import type { AuditAction } from '@isotherm/domain/access/audit-actions';
import type { SignatureMeaning } from '@isotherm/domain/access/signature';
import { isOffset, isSilence } from '@isotherm/domain/alarms/catalogue';
import type pg from 'pg';
import type { Audit } from '../../platform/audit/audit.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Tx, transaction } from '../../platform/db/pool.ts';
import type { Caller } from '../../platform/http/caller.ts';
import type { Sign, Signatures } from '../identity/index.ts';
import { lockLanes } from '../telemetry/index.ts';
import {
  type AssigneeRow,
  acknowledge,
  assign,
  type Deed,
  findPlaceOfAlarm,
  findPolicyOfAlarm,
  fix,
  listAssigneeRows,
  listMessages,
  listSteps,
  lockAlarm,
  note,
} from './alarm-actions.repo.ts';
import { signaturesOf, signedContent } from './alarm-signatures.ts';
import { type AlarmView, findAlarmsById } from './alarm-view.repo.ts';
import type { AlarmsService } from './alarms.service.ts';
import { restartSilences } from './due.repo.ts';
import { endAlarmsById } from './episodes.repo.ts';
import type { News } from './evaluator.ts';

const ASSIGNEES_AT_ONCE = 50;

/**
 * Actions of people on an alarm. All throw `alarm.not_found`, and `permission.denied` for API keys. Those that may have
 * to be signed throw `signing.required` without `sign`.
 */
export interface AlarmActions {
  /** Verifies the signature of a request; null without one. Throws as `Signatures.confirm`. */
  signing(caller: Caller, signature: SignatureInput | undefined): Promise<Sign | null>;
  /**
   * `level` is the highest level of the alarm that the caller has seen. Throws `alarm.already_acknowledged`,
   * `alarm.climbed`, and `request.invalid` if a field that the policy requires is missing.
   */
  acknowledge(
    caller: Caller,
    id: number,
    said: AcknowledgementInput,
    sign: Sign | null,
    level?: Alarm['level'],
  ): Promise<AlarmView>;
  /** Throws `alarm.already_fixed`. */
  fix(caller: Caller, id: number, sign: Sign | null): Promise<AlarmView>;
  /** Throws `alarm.already_ended`, `alarm.not_endable`. */
  end(caller: Caller, id: number, reason: string, sign: Sign | null): Promise<AlarmView>;
  /** Throws `alarm.assignee`. */
  assign(caller: Caller, id: number, accountId: number | null): Promise<AlarmView>;
  comment(caller: Caller, id: number, text: string): Promise<AlarmView>;
  assignees(caller: Caller, id: number, search: string): Promise<AssigneeRow[]>;
  course(caller: Caller, id: number): Promise<ResponseOf<typeof getAlarmCourse>>;
}

/** Creates the actions of one person on one alarm. Each is recorded in the audit log. */
export function createAlarmActions(
  pool: pg.Pool,
  clock: Clock,
  announce: (news: News) => void,
  audit: Pick<Audit, 'record'>,
  alarms: Pick<AlarmsService, 'get'>,
  signatures: Signatures,
): AlarmActions {
  async function act(
    caller: Caller,
    id: number,
    entry: {
      action: AuditAction;
      permission: string;
      reason?: string;
      /** What is signed, if the action may have to be signed. */
      signed?: { meaning: SignatureMeaning; said: Parameters<typeof signedContent>[1]; sign: Sign | null };
    },
    work: (tx: Tx, before: AlarmView, deed: Deed) => Promise<void>,
  ): Promise<AlarmView> {
    const { accountId } = caller;
    const { assetId, assetName, organizationPath } = await alarms.get(caller, id);
    // Only a person can act on an alarm; an API key is refused.
    if (accountId === null) throw new AppError('permission.denied', { permission: entry.permission });
    await transaction(pool, async (tx) => {
      // Ingest takes the advisory lock of a device before it changes the alarms of the device. This
      // transaction takes the lock first as well, because the same order of locks prevents deadlocks.
      const place = entry.action === 'end-alarm' ? await findPlaceOfAlarm(tx, id) : undefined;
      if (place) await lockLanes(tx, [place.deviceId]);
      await lockAlarm(tx, id);
      const [before] = await findAlarmsById(tx, [id]);
      if (!before) throw new AppError('alarm.not_found');
      const at = new Date(clock.now());
      const { signed } = entry;
      if (signed && before.mustSign && !signed.sign)
        throw new AppError('signing.required', { level: before.peakLevel });
      await work(tx, before, { alarmId: id, accountId, at });
      await signed?.sign?.(tx, {
        kind: 'alarm',
        subjectId: id,
        meaning: signed.meaning,
        level: before.peakLevel,
        content: signedContent(before, signed.said),
        at,
        objectName: assetName,
        organizationPath,
      });
      await audit.record(tx, caller, {
        action: entry.action,
        objectKind: 'alarm',
        objectId: id,
        objectName: assetName,
        ...(entry.reason ? { reason: entry.reason } : {}),
        organizationPath,
      });
    });
    announce({ alarms: [{ id, topic: 'alarm.changed' }], assetIds: assetId ? [assetId] : [] });
    return alarms.get(caller, id);
  }

  const refuse = (isDone: boolean, code: ErrorCode, name: string): void => {
    if (!isDone) throw new AppError(code, { name });
  };

  return {
    signing: async (caller, signature) => (signature ? signatures.confirm(caller, signature) : null),
    acknowledge: (caller, id, said, sign, level) =>
      act(
        caller,
        id,
        {
          action: 'acknowledge-alarm',
          permission: 'alarm-current:acknowledge',
          reason: said.correctiveAction || said.cause,
          signed: { meaning: 'alarm-acknowledged', said, sign },
        },
        async (tx, before, deed) => {
          refuse(
            before.acknowledgement === null,
            'alarm.already_acknowledged',
            before.acknowledgement?.by ?? '',
          );
          if (level !== undefined && before.peakLevel > level)
            throw new AppError('alarm.climbed', { level: before.peakLevel });
          const checked = acknowledgementOf(before.required).safeParse(said);
          if (!checked.success) throw new InvalidFieldsError(wordIssues(checked.error, said));
          await acknowledge(tx, deed, said);
        },
      ),
    fix: (caller, id, sign) =>
      act(
        caller,
        id,
        {
          action: 'fix-alarm',
          permission: 'alarm-current:acknowledge',
          signed: { meaning: 'alarm-fixed', said: {}, sign },
        },
        async (tx, before, deed) =>
          refuse(await fix(tx, deed), 'alarm.already_fixed', before.fixed?.by ?? ''),
      ),
    end: (caller, id, reason, sign) =>
      act(
        caller,
        id,
        {
          action: 'end-alarm',
          permission: 'alarm-current:end',
          reason,
          signed: { meaning: 'alarm-ended', said: { text: reason }, sign },
        },
        async (tx, before, deed) => {
          // An alarm about a wrong device clock cannot be ended manually: the next message of the device
          // would raise it again.
          if (isOffset(before.kind)) throw new AppError('alarm.not_endable');
          const ended = await endAlarmsById(tx, [id], 'manual', deed.at.getTime());
          if (ended.length === 0) throw new AppError('alarm.already_ended');
          // If the data is still missing, a new no-data alarm is raised only when the full allowed time has
          // passed again.
          const place = isSilence(before.kind) ? await findPlaceOfAlarm(tx, id) : undefined;
          if (place) await restartSilences(tx, place.channelIds);
          await note(tx, deed, 'ended', reason);
        },
      ),
    assign: (caller, id, accountId) =>
      act(
        caller,
        id,
        { action: 'assign-alarm', permission: 'alarm-current:acknowledge' },
        async (tx, before, deed) => {
          const found =
            accountId === null
              ? []
              : await listAssigneeRows(tx, caller.scope, before.organizationPath, { id: accountId }, 1);
          if (accountId !== null && found.length === 0) throw new AppError('alarm.assignee');
          await assign(tx, deed, accountId);
        },
      ),
    comment: (caller, id, text) =>
      act(
        caller,
        id,
        { action: 'comment-alarm', permission: 'alarm-current:acknowledge', reason: text },
        (tx, _before, deed) => note(tx, deed, 'commented', text),
      ),
    async assignees(caller, id, search) {
      const { organizationPath } = await alarms.get(caller, id);
      return listAssigneeRows(pool, caller.scope, organizationPath, { search }, ASSIGNEES_AT_ONCE);
    },
    async course(caller, id) {
      await alarms.get(caller, id);
      const [policy, steps, messages, signed] = await Promise.all([
        findPolicyOfAlarm(pool, caller.scope, id),
        listSteps(pool, id),
        listMessages(pool, id),
        signatures.list(pool, 'alarm', [id]),
      ]);
      return {
        policy: policy && { id: policy.id, name: policy.name, leg: policy.leg, fence: policy.fence },
        instruction: policy?.instruction ?? '',
        steps,
        messages,
        signatures: signaturesOf(signed, steps),
      };
    },
  };
}
