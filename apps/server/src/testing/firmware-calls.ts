import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { firmwareStatement } from '@isotherm/contracts/firmware';
import type { CallTools, Step } from './call-steps.ts';

/** Returns the calls of firmware, its keys and roll-outs, each with its own record. */
export function firmwareSteps({
  one,
  unique,
  demo,
  why,
}: CallTools): Record<string, (callerName: string) => Promise<Step> | Step> {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const bytes = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32);
  let last = 47_500_000;
  const key = () =>
    one(
      `insert into firmware_key (organization_id, name, public_key, added_by, added_at)
       values ($1, $2, $3, 'test', now()) returning id`,
      [demo, unique(), bytes],
    );
  async function firmware(model = unique()): Promise<number> {
    return one(
      `insert into firmware (organization_id, key_id, model, version, notes, size_bytes, checksum, signature, bytes,
                             uploaded_by, uploaded_at)
       values ($1, $2, $3, '2.0.0', '', 1, '', '', '\\x00', 'test', now()) returning id`,
      [demo, await key(), model],
    );
  }
  const device = (model: string) =>
    one(
      `insert into device (organization_id, number, name, model, key_hash) values ($1, $2, 'Matrix', $3, '') returning id`,
      [demo, String(++last), model],
    );
  /** Creates a paused roll-out, so that its state does not change during the test. */
  async function rollout(): Promise<number> {
    const model = unique();
    const id = await one(
      `insert into firmware_rollout (organization_id, firmware_id, note, state, wave, waves, is_automatic, success_share,
                                     failure_share, offer_within_s, created_by, created_at)
       values ($1, $2, '', 'paused', 1, 1, true, 1, 1, 3600, 'test', now()) returning id`,
      [demo, await firmware(model)],
    );
    await one(
      `insert into firmware_upgrade (rollout_id, device_id, wave, state, since) values ($1, $2, 1, 'waiting', now())
       returning rollout_id as id`,
      [id, await device(model)],
    );
    return id;
  }
  const outside = 'firmware.not_found';
  const holds = (id: number) => (data: unknown) => JSON.stringify(data).includes(`"id":${id},`);

  return {
    listFirmware: async () => ({ holds: holds(await firmware()) }),
    listFirmwareKeys: async () => ({ holds: holds(await key()) }),
    async uploadFirmware() {
      await key();
      const model = unique();
      const program = Buffer.from('program');
      const checksum = createHash('sha256').update(program).digest('hex');
      const statement = firmwareStatement({ title: model, version: '1.0.0', size: program.length, checksum });
      return {
        fields: {
          file: { name: 'a.bin', bytes: program },
          organizationId: String(demo),
          model,
          version: '1.0.0',
          signature: sign(null, Buffer.from(statement), privateKey).toString('base64'),
        },
        outside: 'organization.not_found',
      };
    },
    withdrawFirmware: async () => ({ params: { id: await firmware() }, json: why, outside }),
    addFirmwareKey: () => ({
      json: { organizationId: demo, name: unique(), publicKey: bytes.toString('base64') },
      outside: 'organization.not_found',
    }),
    endFirmwareKey: async () => ({ params: { id: await key() }, json: why, outside }),
    getRolloutOutlook: async () => ({ json: { firmwareId: await firmware() }, outside }),
    async createRollout(callerName) {
      const model = unique();
      const firmwareId = await firmware(model);
      await device(model);
      // A caller in a subordinate organisation sees the firmware, but none of the devices.
      const nobody = callerName.endsWith('.subordinate');
      return { json: { firmwareId }, outside: nobody ? 'firmware.nobody' : outside };
    },
    listRollouts: async () => ({ holds: holds(await rollout()) }),
    getRollout: async () => ({ params: { id: await rollout() }, outside }),
    listUpgrades: async () => ({ params: { id: await rollout() }, outside }),
    changeRollout: async () => ({ params: { id: await rollout() }, json: { deed: 'cancel' }, outside }),
  };
}
