import type { BatchResult } from '@isotherm/contracts/batches';
import type { bindDevices, findBindableAssets, getDeletionOutlook } from '@isotherm/contracts/device-batches';
import { AppError } from '@isotherm/contracts/errors';
import type { ResponseOf } from '@isotherm/contracts/route';
import type { Translate } from '@isotherm/i18n/translator';
import type { z } from 'zod';
import type { AuditEvent } from '../../../platform/audit/audit.ts';
import { type Tx, transaction } from '../../../platform/db/pool.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import { wordError } from '../../../platform/http/error-words.ts';
import { type ImportRun, UNWATCHED } from '../../../platform/imports/import-run.ts';
import { findOrganizationPath } from '../../identity/index.ts';
import { extendSubscriptions } from '../renewal/extensions.repo.ts';
import { type BindableAsset, holdAssets, searchAssets } from './bindable-assets.repo.ts';
import { bindingMoment, rebind } from './bindings.repo.ts';
import { cancelOpenCommands, channelsOf, outlookOf, setDeleted } from './deletion.repo.ts';
import { lastDayOf, objectOf } from './device-view.ts';
import { type DeviceRow, findDevices, holdDevices, setOrganization } from './registry.repo.ts';
import type { RegistryParts } from './registry.service.ts';

const MOST_ASSETS = 50;
/** Maximum number of devices in one portion; a manual batch is one portion. */
const AT_ONCE = 500;

/** Called when devices are restored with their channels, in the same transaction. */
export type OnDevicesRestored = (
  tx: Tx,
  deviceIds: readonly number[],
  channelIds: readonly number[],
) => Promise<void>;

/** Called when channels were retired, to end their alarms. The returned function runs after the commit. */
export type OnChannelsRetired = (
  tx: Tx,
  deviceIds: readonly number[],
  channelIds: readonly number[],
) => Promise<() => void>;

/**
 * Prevents readings of these devices from being stored or evaluated until the transaction ends; implemented
 * by the telemetry feature and injected.
 */
export type HoldChannels = (tx: Tx, deviceIds: readonly number[]) => Promise<void>;

export interface DeviceBatches {
  move(caller: Caller, numbers: readonly string[], organizationId: number): Promise<BatchResult>;
  /** Binds devices. A dry run only reports what would happen; `run` receives the progress. */
  bind(
    caller: Caller,
    bonds: z.output<(typeof bindDevices)['body']>['bonds'],
    options?: { dryRun?: boolean; run?: ImportRun },
  ): Promise<BatchResult>;
  unbind(caller: Caller, numbers: readonly string[], reason: string): Promise<BatchResult>;
  /** Lists assets that devices can be bound to. */
  assets(
    caller: Caller,
    search: string,
    organizationId: number | null,
  ): Promise<ResponseOf<typeof findBindableAssets>>;
  outlook(caller: Caller, numbers: readonly string[]): Promise<ResponseOf<typeof getDeletionOutlook>>;
  remove(caller: Caller, numbers: readonly string[], reason: string): Promise<BatchResult>;
  restore(caller: Caller, numbers: readonly string[]): Promise<BatchResult>;
  renew(caller: Caller, numbers: readonly string[], months: number, reason: string): Promise<BatchResult>;
}

/**
 * Result for the devices that could be changed: the audit entry of each, and work that runs after the
 * commit.
 */
interface Done {
  log: (row: DeviceRow) => Pick<AuditEvent, 'action' | 'before' | 'after' | 'reason'>;
  after?: () => void;
}

/** Creates batch changes of devices: failures are reported per device, and the other devices are changed. */
export function createDeviceBatches(
  parts: Omit<RegistryParts, 'sealing'> & {
    translate: Translate;
    onChannelsRetired: OnChannelsRetired;
    onDevicesRestored: OnDevicesRestored;
    holdChannels: HoldChannels;
  },
): DeviceBatches {
  const {
    pool,
    audit,
    clock,
    renewal,
    translate,
    changed,
    onChannelsRetired,
    onDevicesRestored,
    holdChannels,
  } = parts;

  /**
   * Changes devices in portions, all in one transaction. `judge` returns the reason why a device cannot be
   * changed; the others are passed to `work`.
   */
  async function eachOf(
    caller: Caller,
    numbers: readonly string[],
    steps: {
      deleted?: boolean;
      /** If true, nothing is changed. */
      dryRun?: boolean;
      run?: ImportRun;
      /** Called first in the transaction. */
      begin?: (tx: Tx) => Promise<void>;
      judge?: (row: DeviceRow) => AppError | null;
      /** Called once for all devices that will be changed. */
      hold?: HoldChannels;
      work: (tx: Tx, rows: readonly DeviceRow[]) => Promise<Done>;
    },
  ): Promise<BatchResult> {
    const { deleted = false, dryRun = false, run = UNWATCHED } = steps;
    const wanted = [...new Set(numbers)];
    const failures: BatchResult['failures'] = [];
    const able: DeviceRow[] = [];
    const afters: (() => void)[] = [];

    async function judge(tx: Tx, some: readonly string[]): Promise<void> {
      const rows = await findDevices(tx, caller.scope, some, { deleted });
      const known = new Map(rows.map((row) => [row.number, row]));
      for (const number of some) {
        const row = known.get(number);
        const fault = row ? steps.judge?.(row) : new AppError('device.not_found');
        if (fault)
          failures.push({
            id: Number(number),
            name: number,
            message: wordError(fault, caller.language, translate),
          });
        else if (row) able.push(row);
      }
    }

    await transaction(pool, async (tx) => {
      await steps.begin?.(tx);
      // All devices are locked at once and in one order, so that two batches of the same devices cannot
      // deadlock.
      await holdDevices(tx, caller.scope, wanted, deleted);
      await run.each('checking', wanted, (some) => judge(tx, some), AT_ONCE);
      if (dryRun) return;
      await steps.hold?.(
        tx,
        able.map(({ id }) => id),
      );
      const entries: AuditEvent[] = [];
      const write = async (rows: readonly DeviceRow[]) => {
        const done = await steps.work(tx, rows);
        if (done.after) afters.push(done.after);
        entries.push(...rows.map((row) => ({ ...objectOf(row), ...done.log(row) })));
      };
      await run.each('writing', able, write, AT_ONCE);
      await run.each('recording', entries, (some) => audit.record(tx, caller, ...some));
    });
    if (!dryRun) changed(able.map(({ number }) => number));
    for (const after of afters) after();
    return { success: able.length, fail: failures.length, failures };
  }

  async function rebound(
    tx: Tx,
    caller: Caller,
    rows: readonly DeviceRow[],
    assetOf: (row: DeviceRow) => number | null,
  ): Promise<() => void> {
    const ids = rows.map(({ id }) => id);
    const bonds = rows.map((row) => ({ deviceId: row.id, assetId: assetOf(row) }));
    const now = await bindingMoment(tx, ids, clock.now());
    const retired = await rebind(tx, bonds, caller.username, now);
    return onChannelsRetired(tx, ids, retired);
  }

  return {
    async move(caller, numbers, organizationId) {
      const path = await findOrganizationPath(pool, caller.scope, organizationId);
      return eachOf(caller, numbers, {
        judge({ asset_name }) {
          if (path === null) return new AppError('organization.not_found');
          return asset_name === null ? null : new AppError('device.bound', { asset: asset_name });
        },
        async work(tx, rows) {
          const ids = rows.map(({ id }) => id);
          await setOrganization(tx, ids, organizationId, caller.username, new Date(clock.now()));
          const fresh = await findDevices(
            tx,
            caller.scope,
            rows.map(({ number }) => number),
          );
          const nameOf = new Map(fresh.map((row) => [row.id, row.organization_name]));
          return {
            log: (row) => ({
              action: 'change',
              before: { organization: row.organization_name },
              after: { organization: nameOf.get(row.id) },
            }),
          };
        },
      });
    },
    async bind(caller, bonds, options = {}) {
      const assetIdOf = new Map(bonds.map(({ number, assetId }) => [number, assetId]));
      let assets = new Map<number, BindableAsset>();
      const assetOf = (row: DeviceRow) => assets.get(assetIdOf.get(row.number) ?? 0);
      return eachOf(caller, [...assetIdOf.keys()], {
        ...options,
        async begin(tx) {
          assets = await holdAssets(tx, caller.scope, [...assetIdOf.values()]);
        },
        hold: holdChannels,
        judge(row) {
          const asset = assetOf(row);
          if (!asset) return new AppError('asset.not_found');
          if (row.asset_name !== null) return new AppError('device.bound', { asset: row.asset_name });
          return asset.organization_id === row.organization_id
            ? null
            : new AppError('device.asset_elsewhere', { asset: asset.name });
        },
        work: async (tx, rows) => ({
          after: await rebound(tx, caller, rows, (row) => assetOf(row)?.id ?? null),
          log: (row) => ({
            action: 'change',
            before: { asset: null },
            after: { asset: assetOf(row)?.code ?? null },
          }),
        }),
      });
    },
    unbind: (caller, numbers, reason) =>
      eachOf(caller, numbers, {
        hold: holdChannels,
        judge: ({ asset_id }) => (asset_id === null ? new AppError('device.unbound') : null),
        work: async (tx, rows) => ({
          after: await rebound(tx, caller, rows, () => null),
          log: (row) => ({
            action: 'change',
            before: { asset: row.asset_code },
            after: { asset: null },
            reason,
          }),
        }),
      }),
    async assets(caller, search, organizationId) {
      const rows = await searchAssets(pool, caller.scope, search.trim(), organizationId, MOST_ASSETS);
      return rows.map(({ id, name, code, organization_name }) => ({
        id,
        name,
        code,
        organizationName: organization_name,
      }));
    },
    async outlook(caller, numbers) {
      const rows = await findDevices(pool, caller.scope, numbers);
      const along = await outlookOf(
        pool,
        rows.map(({ id }) => id),
      );
      return {
        devices: rows.length,
        bound: rows.filter(({ asset_id }) => asset_id !== null).length,
        ...along,
      };
    },
    remove: (caller, numbers, reason) =>
      eachOf(caller, numbers, {
        async work(tx, rows) {
          const ids = rows.map(({ id }) => id);
          const now = new Date(clock.now());
          await setDeleted(tx, ids, { at: now, by: caller.username });
          await cancelOpenCommands(tx, ids, now);
          const after = await onChannelsRetired(tx, ids, await channelsOf(tx, ids));
          return { after, log: () => ({ action: 'delete', reason }) };
        },
      }),
    async renew(caller, numbers, months, reason) {
      const { lapsedUntil } = await renewal.bounds();
      return eachOf(caller, numbers, {
        judge({ expires_at }) {
          if (expires_at === null) return new AppError('device.unlimited');
          return expires_at.getTime() <= lapsedUntil ? new AppError('device.lapsed') : null;
        },
        async work(tx, rows) {
          const renewed = new Map(
            (
              await extendSubscriptions(
                tx,
                rows.map(({ id }) => ({ deviceId: id, months })),
                { orderId: null, reason, by: caller.username, now: new Date(clock.now()) },
              )
            ).map(({ deviceId, after }) => [deviceId, after]),
          );
          return {
            log: ({ id, expires_at }) => ({
              action: 'change',
              before: { expiresOn: lastDayOf(expires_at) },
              after: { expiresOn: lastDayOf(renewed.get(id) ?? null) },
              reason,
            }),
          };
        },
      });
    },
    restore: (caller, numbers) =>
      eachOf(caller, numbers, {
        deleted: true,
        hold: holdChannels,
        async work(tx, rows) {
          const ids = rows.map(({ id }) => id);
          await setDeleted(tx, ids, null);
          await onDevicesRestored(tx, ids, await channelsOf(tx, ids));
          const bereft = rows.filter(({ asset_deleted }) => asset_deleted);
          const after = await rebound(tx, caller, bereft, () => null);
          return { after, log: () => ({ action: 'restore' }) };
        },
      }),
  };
}
