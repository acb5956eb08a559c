import type {
  assignPolicyToMany,
  copyAlertSettings,
  listAlertSettings,
} from '@isotherm/contracts/alert-settings';
import type { BatchResult } from '@isotherm/contracts/batches';
import { AppError } from '@isotherm/contracts/errors';
import type { ResponseOf } from '@isotherm/contracts/route';
import { counterparts } from '@isotherm/domain/alarms/copied-settings';
import type { PolicyTarget } from '@isotherm/domain/alarms/policy';
import type { Translate } from '@isotherm/i18n/translator';
import type pg from 'pg';
import type { z } from 'zod';
import type { Audit } from '../../../platform/audit/audit.ts';
import type { Clock } from '../../../platform/clock.ts';
import { type Tx, transaction } from '../../../platform/db/pool.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import { eachAlone } from '../../../platform/http/each-alone.ts';
import { endAssignment, explainAsset, findTarget, insertAssignment } from '../policies/assignments.repo.ts';
import type { Compiler } from '../policies/compile.ts';
import { findPolicy, lockPolicy, type PolicyRow } from '../policies/policies.repo.ts';
import {
  listDirectAssignments,
  listDirectRules,
  listSettingRows,
  listSettingsChannels,
} from './alert-settings.repo.ts';
import type { CopyRules } from './rule-copies.ts';

type CopyResult = ResponseOf<typeof copyAlertSettings>;

/** The alert settings of many channels at once. Changes are in force when a call returns. */
export interface AlertSettingsService {
  list(
    caller: Caller,
    query: z.output<(typeof listAlertSettings)['query']>,
  ): Promise<ResponseOf<typeof listAlertSettings>>;
  /** Throws `policy.not_found`. */
  assign(caller: Caller, order: z.output<(typeof assignPolicyToMany)['body']>): Promise<BatchResult>;
  endOwn(caller: Caller, order: { assetIds: number[]; reason: string }): Promise<BatchResult>;
  /** Throws `asset.not_found`, `alert_settings.nothing`. */
  copy(
    caller: Caller,
    assetId: number,
    order: z.output<(typeof copyAlertSettings)['body']>,
  ): Promise<CopyResult>;
}

export interface AlertSettingsDependencies {
  pool: pg.Pool;
  audit: Pick<Audit, 'record'>;
  clock: Clock;
  compiler: Pick<Compiler, 'compile' | 'endOwn'>;
  copyRules: CopyRules;
  translate: Translate;
}

export function createAlertSettingsService({
  pool,
  audit,
  clock,
  compiler,
  copyRules,
  translate,
}: AlertSettingsDependencies): AlertSettingsService {
  /** Applies a change to each target in a transaction of its own, and compiles the policies once. */
  async function each(
    caller: Caller,
    targets: readonly PolicyTarget[],
    act: (tx: Tx, target: PolicyTarget, found: { name: string; path: string }) => Promise<() => void>,
  ): Promise<BatchResult> {
    const result = await eachAlone(caller, translate, targets, async (target, nameIt) => {
      const announce = await transaction(pool, async (tx) => {
        const found = await findTarget(tx, caller.scope, target);
        if (!found) throw new AppError(target.kind === 'asset' ? 'asset.not_found' : 'channel.not_found');
        nameIt(found.name);
        return act(tx, target, found);
      });
      announce();
    });
    await compiler.compile();
    return result;
  }

  async function assignOne(tx: Tx, caller: Caller, policyId: number, target: PolicyTarget): Promise<void> {
    await lockPolicy(tx, policyId);
    const policy = await findPolicy(tx, caller.scope, policyId);
    if (!policy) throw new AppError('policy.not_found');
    const found = await findTarget(tx, policy.organizationPath, target);
    if (!found) throw new AppError('policy.target');
    const isNew = await insertAssignment(
      tx,
      policyId,
      { ...target, assetKind: null },
      new Date(clock.now()),
      caller.username,
    );
    if (!isNew) return;
    await audit.record(tx, caller, {
      action: 'assign-policy',
      ...objectOf(policy),
      after: { target: found.name, targetKind: target.kind, assetKind: '' },
    });
  }

  async function endOwnOf(
    tx: Tx,
    caller: Caller,
    assetId: number,
    found: { name: string; path: string },
    reason?: string,
  ) {
    const { ended, announce } = await compiler.endOwn(tx, assetId);
    if (ended > 0)
      await audit.record(tx, caller, {
        action: 'end-own-rules',
        objectKind: 'asset',
        objectId: assetId,
        objectName: found.name,
        organizationPath: found.path,
        ...(reason === undefined ? {} : { reason }),
        before: { rules: ended },
      });
    return announce;
  }

  /** Makes the assignments of an asset, its devices and channels those that a copy calls for. */
  async function copyAssignments(
    tx: Tx,
    caller: Caller,
    assetId: number,
    wanted: readonly { policyId: number; kind: 'asset' | 'channel'; targetId: number }[],
  ): Promise<void> {
    for (const held of await listDirectAssignments(tx, caller.scope, assetId)) {
      const stays = wanted.some(
        ({ policyId, kind, targetId }) =>
          policyId === held.policyId && kind === held.kind && targetId === held.targetId,
      );
      if (!stays) await endAssignment(tx, held.policyId, held.id, new Date(clock.now()));
    }
    for (const { policyId, kind, targetId } of wanted)
      await assignOne(tx, caller, policyId, { kind, id: targetId });
  }

  return {
    list: (caller, query) => listSettingRows(pool, caller.scope, query),
    async assign(caller, { policyId, targets, endOwn }) {
      if (!(await findPolicy(pool, caller.scope, policyId))) throw new AppError('policy.not_found');
      return each(caller, distinct(targets), async (tx, target, found) => {
        await assignOne(tx, caller, policyId, target);
        return endOwn && target.kind === 'asset' ? endOwnOf(tx, caller, target.id, found) : () => undefined;
      });
    },
    endOwn: (caller, { assetIds, reason }) =>
      each(caller, assets(assetIds), (tx, { id }, found) => endOwnOf(tx, caller, id, found, reason)),
    async copy(caller, assetId, { assetIds, reason }) {
      const source = await findTarget(pool, caller.scope, { kind: 'asset', id: assetId });
      if (!source) throw new AppError('asset.not_found');
      const from = await listSettingsChannels(pool, assetId);
      const inForce = (await explainAsset(pool, assetId, new Date(clock.now()))).filter(
        ({ isNearest }) => isNearest,
      );
      const own = await listDirectRules(
        pool,
        from.map(({ channelId }) => channelId),
      );
      if (inForce.length === 0 && own.length === 0) throw new AppError('alert_settings.nothing');
      const sensors = new Set<string>();
      const devices = new Set<number>();
      const result = await each(
        caller,
        assets(assetIds.filter((id) => id !== assetId)),
        async (tx, { id }, found) => {
          const targets = await listSettingsChannels(tx, id);
          const sourceOf = counterparts(from, targets);
          const reached = targets.filter(({ channelId }) => sourceOf.has(channelId));
          if (reached.length === 0) throw new AppError('alert_settings.no_counterpart');
          const wanted = [
            ...new Set(
              inForce.filter(({ target }) => target.kind !== 'channel').map(({ policyId }) => policyId),
            ),
          ].map((policyId) => ({ policyId, kind: 'asset' as const, targetId: id }));
          const ofChannels = reached.flatMap(({ channelId }) =>
            inForce
              .filter(
                ({ target, channelId: of }) => target.kind === 'channel' && of === sourceOf.get(channelId),
              )
              .map(({ policyId }) => ({ policyId, kind: 'channel' as const, targetId: channelId })),
          );
          await copyAssignments(tx, caller, id, [...wanted, ...ofChannels]);
          const announce = await copyRules(tx, id, reached, sourceOf);
          await audit.record(tx, caller, {
            action: 'copy-settings',
            objectKind: 'asset',
            objectId: id,
            objectName: found.name,
            organizationPath: found.path,
            reason,
            after: { settingsOf: source.name },
          });
          return () => {
            announce();
            for (const { deviceId, sensor } of reached) {
              sensors.add(`${deviceId} ${sensor}`);
              devices.add(deviceId);
            }
          };
        },
      );
      return { ...result, sensors: sensors.size, devices: devices.size };
    },
  };
}

const assets = (ids: readonly number[]): PolicyTarget[] =>
  [...new Set(ids)].map((id) => ({ kind: 'asset', id }));

const distinct = (targets: readonly PolicyTarget[]): PolicyTarget[] => [
  ...new Map(targets.map((target) => [`${target.kind} ${target.id}`, target])).values(),
];

const objectOf = ({ id, name, organizationPath }: PolicyRow) => ({
  objectKind: 'alarm-policy',
  objectId: id,
  objectName: name,
  organizationPath,
});
