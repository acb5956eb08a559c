import { randomUUID } from 'node:crypto';
import type { CallTools, Step } from './call-steps.ts';

/** Returns the calls of the device registry, each with its own device. */
export function deviceSteps({
  one,
  unique,
  demo,
  why,
}: CallTools): Record<string, () => Promise<Step> | Step> {
  let last = 46_000_000;
  const nextNumber = () => String(++last);
  async function stored(more: { deleted?: boolean; assetId?: number } = {}): Promise<string> {
    const number = nextNumber();
    await one(
      `with made as (
         insert into device (organization_id, number, name, key_hash, asset_id, deleted_at)
         values ($1, $2, 'Matrix', '', $3, case when $4 then now() end) returning id
       ), sensors as (
         insert into sensor (device_id, index, serial, name) select id, 1, '', 'Matrix' from made
       ) select id from made`,
      [demo, number, more.assetId ?? null, more.deleted ?? false],
    );
    return number;
  }
  const asset = (code = unique()) =>
    one(
      `insert into asset (organization_id, kind, code, name) values ($1, 'container', $2, $2) returning id`,
      [demo, code],
    );
  const form = { name: 'Matrix', type: 'logger' };
  const outside = 'device.not_found';
  const counted = (data: unknown) => (data as { success: number }).success === 1;
  const listed = (number: string) => ({
    query: { search: number },
    holds: (data: unknown) => JSON.stringify(data).includes(number),
  });

  return {
    listDevices: async () => listed(await stored()),
    async getDeviceStats() {
      // Among the models with one device each, this name is sorted first.
      const model = `!${unique()}`;
      await one('update device set model = $2 where number = $1 returning id', [await stored(), model]);
      return { holds: (data) => JSON.stringify(data).includes(model) };
    },
    async listExpiring() {
      const number = await stored();
      await one('update device set expires_at = now() where number = $1 returning id', [number]);
      return listed(number);
    },
    async renewDevices() {
      const number = await stored();
      await one('update device set expires_at = now() where number = $1 returning id', [number]);
      return { json: { numbers: [number], months: 12, ...why }, holds: counted };
    },
    async listModels() {
      const model = unique();
      await one('update device set model = $2 where number = $1 returning id', [await stored(), model]);
      return { holds: (data) => (data as string[]).includes(model) };
    },
    exportDevices: async () => ({
      ...listed(await stored()),
      holds: (data) => (data as { rows: number }).rows > 0,
    }),
    async findBindableAssets() {
      const code = unique();
      const id = await asset(code);
      return {
        query: { search: code },
        holds: (data) => (data as { id: number }[]).some((each) => each.id === id),
      };
    },
    createDevice: () => ({
      json: {
        ...form,
        number: nextNumber(),
        organizationId: demo,
        sensors: [{ name: 'Matrix', indicators: ['temperature'] }],
      },
      outside: 'organization.not_found',
    }),
    getDevice: async () => ({ params: { number: await stored() }, outside }),
    getDeviceClock: async () => ({ params: { number: await stored() }, outside }),
    getUnmappedValues: async () => ({ params: { number: await stored() }, outside }),
    listDeviceBindings: async () => ({ params: { number: await stored() }, outside }),
    getDeviceConnection: async () => ({ params: { number: await stored() }, outside }),
    editDevice: async () => ({
      params: { number: await stored() },
      json: { version: 1, device: form },
      outside,
    }),
    editSensor: async () => ({
      params: { number: await stored(), index: 1 },
      json: { name: 'Matrix', disabled: false },
      outside,
    }),
    rotateDeviceKey: async () => ({ params: { number: await stored() }, json: why, outside }),
    setDeviceToken: async () => ({
      params: { number: await stored() },
      json: { token: `token${randomUUID()}`, ...why },
      outside,
    }),
    replaceDevice: async () => ({
      params: { number: await stored() },
      json: { by: await stored(), ...why },
      outside,
    }),
    moveDevices: async () => ({
      json: { numbers: [await stored()], organizationId: demo },
      holds: counted,
    }),
    bindDevices: async () => ({
      json: { bonds: [{ number: await stored(), assetId: await asset() }] },
      holds: counted,
    }),
    unbindDevices: async () => ({
      json: { numbers: [await stored({ assetId: await asset() })], ...why },
      holds: counted,
    }),
    getDeletionOutlook: async () => ({
      json: { numbers: [await stored()] },
      holds: (data) => (data as { devices: number }).devices === 1,
    }),
    deleteDevices: async () => ({ json: { numbers: [await stored()], ...why }, holds: counted }),
    restoreDevices: async () => ({
      json: { numbers: [await stored({ deleted: true })] },
      holds: counted,
    }),
  };
}
