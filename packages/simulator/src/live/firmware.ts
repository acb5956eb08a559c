import { createHash } from 'node:crypto';
import type { FirmwareOffer } from '@isotherm/contracts/commands';
import { compareVersions } from '@isotherm/domain/devices/firmware-version';
import type { FirmwareReport } from '@isotherm/domain/devices/rollout';
import type { Uplink } from '../client/uplink.ts';
import type { FirmwareKey } from '../fleet/firmware-key.ts';

/** This device's own numbers for why it does not want a firmware. */
export const NOT_NEWER = 8;
export const NOT_ITS_MODEL = 9;
const TRIES = 10;
const AGAIN_MS = 1_000;

/** What a logger left the factory with. */
export const FACTORY_VERSION = '1.0.0';

export interface FirmwareParts {
  uplink: Pick<Uplink, 'answer' | 'report' | 'fetch' | 'leave' | 'online'>;
  model: string;
  version: string;
  key: Pick<FirmwareKey, 'isSigned'>;
  /** Whether it comes back with what it had: the new one does not start. */
  fails: boolean;
  /** Measures nothing for so long. */
  restart: (forMs: number) => void;
  restartMs: number;
}

/**
 * The half of a logger that renews itself: it takes what is newer and for its model, fetches it, believes nothing that
 * is not signed by its makers, starts with it, and says how far it is.
 */
export function createFirmware(parts: FirmwareParts) {
  const { uplink, model, key, fails, restart, restartMs } = parts;
  let version = parts.version;
  let working: Promise<void> | null = null;

  const running = () => ({ current_fw_title: model, current_fw_version: version });

  /** Said until the server has it, within reason: a device that is out of reach for long is silent. */
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
    /** Says what it runs, as it does when it starts. */
    announce: () => patiently(() => uplink.report(running())),
    /** An offer that comes twice is answered twice and followed once. */
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
