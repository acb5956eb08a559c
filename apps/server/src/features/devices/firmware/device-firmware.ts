import {
  FIRMWARE_REPORTS,
  type FirmwareReport,
  stepUpgrade,
  type UpgradeEvent,
} from '@isotherm/domain/devices/rollout';
import type pg from 'pg';
import type { Clock } from '../../../platform/clock.ts';
import { transaction } from '../../../platform/db/pool.ts';
import { readFile } from './firmware.repo.ts';
import { reaches } from './rollouts.service.ts';
import { acceptOffer, findOwnUpgrade, noteVersion, type OwnUpgrade, writeUpgrades } from './upgrades.repo.ts';

/** A firmware file that a device may download now. */
export interface FirmwareFile {
  size: number;
  /** Reads at most `length` bytes starting at `from`; empty beyond the end. */
  read(from: number, length: number): Promise<Buffer>;
}

/** Handles firmware reports and downloads of devices, independent of the protocol. */
export interface DeviceFirmware {
  /**
   * Evaluates the `fw_*` values of the ThingsBoard device API among telemetry or attributes; other values
   * are ignored.
   */
  said(deviceId: number, values: Readonly<Record<string, unknown>>): Promise<void>;
  /**
   * Returns the file that was offered to the device; null if none with this title and version was offered.
   */
  file(deviceId: number, title: string | null, version: string | null): Promise<FirmwareFile | null>;
}

const MOST_FILES = 2;
const MOST_KNOWN = 200_000;
const LONGEST_VERSION = 64;
const LONGEST_ERROR = 200;
/** Download progress is stored in steps of this size. */
const STEP_PERCENT = 5;
const ALL = 100;

/** Creates the firmware handling of devices. `onStep` is called when an upgrade makes progress. */
export function createDeviceFirmware(pool: pg.Pool, clock: Clock, onStep: () => void): DeviceFirmware {
  /** Cached files of the current roll-out waves, the newest last. */
  const files = new Map<number, Promise<Buffer>>();
  /** Cached last reported version of each device, because most devices repeat it often. */
  const known = new Map<number, string>();

  function fileOf(id: number): Promise<Buffer> {
    const kept = files.get(id);
    if (kept) return kept;
    const reading = readFile(pool, id);
    reading.catch(() => files.delete(id));
    files.set(id, reading);
    const [oldest] = files.keys();
    if (files.size > MOST_FILES && oldest !== undefined) files.delete(oldest);
    return reading;
  }

  async function step(deviceId: number, eventOf: (own: OwnUpgrade) => UpgradeEvent | null): Promise<void> {
    const isFurther = await transaction(pool, async (tx) => {
      const own = await findOwnUpgrade(tx, deviceId, { lock: true });
      const event = own && eventOf(own);
      if (!event) return false;
      const after = stepUpgrade(own, event, clock.now());
      if (after === own) return false;
      await writeUpgrades(tx, own.rolloutId, [{ ...after, deviceId }]);
      // The device may have requested the firmware before it received the offer. The offer is then ended,
      // because it would only arrive later.
      if (own.state === 'waiting' || own.state === 'offered')
        await acceptOffer(tx, own.rolloutId, deviceId, new Date(clock.now()));
      return after.state !== own.state;
    });
    if (isFurther) onStep();
  }

  return {
    async said(deviceId, values) {
      const report = FIRMWARE_REPORTS.find((each) => each === values.fw_state) ?? null;
      const version = textOf(values.current_fw_version, LONGEST_VERSION);
      if (report === null && (version === null || known.get(deviceId) === version)) return;
      await step(deviceId, (own) => eventFrom(own, report, version, values));
      if (version === null || known.get(deviceId) === version) return;
      await noteVersion(pool, deviceId, version, new Date(clock.now()));
      if (known.size >= MOST_KNOWN) known.clear();
      known.set(deviceId, version);
    },
    async file(deviceId, title, version) {
      const own = await findOwnUpgrade(pool, deviceId);
      if (
        !own?.isTold ||
        (title !== null && title !== own.title) ||
        (version !== null && version !== own.version)
      )
        return null;
      let told = own.state === 'downloading' ? own.percent : Number.NEGATIVE_INFINITY;
      return {
        size: own.sizeBytes,
        async read(from, length) {
          const part = (await fileOf(own.firmwareId)).subarray(from, from + length);
          const percent = Math.floor((Math.min(from + part.length, own.sizeBytes) / own.sizeBytes) * ALL);
          if (percent - told >= STEP_PERCENT) {
            told = percent;
            await step(deviceId, () => ({ type: 'fetched', percent }));
          }
          return part;
        },
      };
    },
  };
}

/** Returns null for a report about another firmware. */
function eventFrom(
  own: OwnUpgrade,
  report: FirmwareReport | null,
  version: string | null,
  values: Readonly<Record<string, unknown>>,
): UpgradeEvent | null {
  const isOther = (said: unknown, mine: string) => typeof said === 'string' && said !== mine;
  if (isOther(values.fw_title, own.title) || isOther(values.fw_version, own.version)) return null;
  const runs =
    version === null ? null : reaches(version, own.version) && !isOther(values.current_fw_title, own.title);
  return { type: 'said', report, runs, error: textOf(values.fw_error, LONGEST_ERROR) ?? '' };
}

function textOf(value: unknown, longest: number): string | null {
  return typeof value === 'string' && value !== '' ? value.slice(0, longest) : null;
}
