import { createHash } from 'node:crypto';
import type { FirmwareOffer } from '@isotherm/contracts/commands';
import { compareVersions } from '@isotherm/domain/devices/firmware-version';
import type { FirmwareReport } from '@isotherm/domain/devices/rollout';
import type { Uplink } from '../client/uplink.ts';
import type { FirmwareKey } from '../fleet/firmware-key.ts';

/** Error numbers with which this device refuses firmware. */
export const NOT_NEWER = 8;
export const NOT_ITS_MODEL = 9;
const TRIES = 10;
const AGAIN_MS = 1_000;

/** Firmware version of a logger when it is new. */
export const FACTORY_VERSION = '1.0.0';

export interface FirmwareParts {
  uplink: Pick<Uplink, 'answer' | 'report' | 'fetch' | 'leave' | 'online'>;
  model: string;
  version: string;
  key: Pick<FirmwareKey, 'isSigned'>;
  /** True if the new firmware fails to start, so that the device starts again with the old one. */
  fails: boolean;
  /** Stops the measurement for the given time. */
  restart: (forMs: number) => void;
  restartMs: number;
}

/**
 * The part of a logger that updates firmware. It accepts newer firmware for its model, downloads it,
 * verifies its signature, restarts with it, and reports its progress.
 */
export function createFirmware(parts: FirmwareParts) {
  const { uplink, model, key, fails, restart, restartMs } = parts;
  let version = parts.version;
  let working: Promise<void> | null = null;

  const running = () => ({ current_fw_title: model, current_fw_version: version });

  /** Retries for a limited time until the server has received the request. */
  async function patiently<T>(work: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await work();
      } catch (error) {
        if (attempt === TRIES) throw error;
        await pause(AGAIN_MS);
      }
    }
  }
  const say = (state: FirmwareReport, more: object = {}) =>
    patiently(() => uplink.report({ ...running(), fw_state: state, ...more }));

  async function renew(offer: FirmwareOffer): Promise<void> {
    await say('DOWNLOADING');
    const bytes = await patiently(() => uplink.fetch(offer));
    const checksum = createHash('sha256').update(bytes).digest('hex');
    if (bytes.length !== offer.size || checksum !== offer.checksum)
      return say('FAILED', { fw_error: 'checksum' });
    const { title, signature } = offer;
    await say('DOWNLOADED');
    if (!key.isSigned({ title, version: offer.version, size: bytes.length, checksum }, signature))
      return say('FAILED', { fw_error: 'signature' });
    await say('VERIFIED');
    await say('UPDATING');
    restart(restartMs);
    uplink.leave(restartMs);
    await pause(restartMs);
    if (fails) return say('FAILED', { fw_error: 'does not start' });
    version = offer.version;
    await say('UPDATED');
  }

  return {
    version: () => version,
    /** Reports the running version, as a device does at its start. */
    announce: () => patiently(() => uplink.report(running())),
    /** A repeated offer is answered again but carried out only once. */
    async take(id: number, offer: FirmwareOffer): Promise<void> {
      const refusal =
        offer.title !== model
          ? NOT_ITS_MODEL
          : compareVersions(offer.version, version) <= 0
            ? NOT_NEWER
            : null;
      await patiently(() =>
        uplink.answer(
          refusal === null ? { id, state: 'success', reason: 0 } : { id, state: 'failed', reason: refusal },
        ),
      );
      if (refusal !== null || working) return working ?? undefined;
      working = renew(offer).finally(() => {
        working = null;
      });
      return working;
    },
  };
}
export type Renewal = ReturnType<typeof createFirmware>;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
