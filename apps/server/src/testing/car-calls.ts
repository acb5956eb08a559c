import type { CallTools, Step } from './call-steps.ts';
import { WAYBILL_LIMITS } from './waybill-calls.ts';

/** Returns the calls on the car monitor, the overview and shared replays, each with its own vehicle, link or trip. */
export function carSteps({ one, unique, demo }: CallTools): Record<string, () => Promise<Step> | Step> {
  const vehicle = (name: string) =>
    one(`insert into asset (organization_id, kind, code, name) values ($1, 'vehicle', $2, $2) returning id`, [
      demo,
      name,
    ]);
  const open = (purpose: string, id: number) =>
    one(
      `insert into public_link (token_hash, purpose, subject_id, created_at, expires_at)
       values (sha256(convert_to($1, 'UTF8')), $2, $3, now(), now() + interval '1 day') returning id`,
      [unique(), purpose, id],
    );
  async function replay(name = unique()): Promise<number> {
    const id = await one(
      `insert into shared_replay (organization_id, name, asset_ids, channel_ids, range_from, range_to, speed, skips_stops, created_at)
       values ($1, $2, '{}', '{}', now() - interval '1 hour', now(), 60, true, now()) returning id`,
      [demo, name],
    );
    await open('replay', id);
    return id;
  }
  async function screen(name = unique()): Promise<number> {
    const id = await one(
      `insert into car_screen (organization_id, name, asset_ids, interval_s, created_at)
       values ($1, $2, '{}', 15, now()) returning id`,
      [demo, name],
    );
    await open('car-screen', id);
    return id;
  }
  const trip = async (number: string): Promise<number> =>
    one(
      `insert into waybill (organization_id, number, state, consignor_unit, consignee_unit, asset_id, planned_departure_at,
                            limits, departed_at, changed_by, changed_at)
       values ($1, $2, 'in-transport', 'From', 'To', $3, now(), $4, now(), 'test', now()) returning id`,
      [demo, number, await vehicle(unique()), JSON.stringify(WAYBILL_LIMITS)],
    );
  const includes = (name: string) => (data: unknown) => JSON.stringify(data).includes(name);
  return {
    async listCars() {
      const name = unique();
      await vehicle(name);
      return { holds: includes(name) };
    },
    async listCarScreens() {
      const name = unique();
      await screen(name);
      return { holds: includes(name) };
    },
    listTripExcursions: async () => ({ params: { id: await trip(unique()) }, outside: 'waybill.not_found' }),
    async getMapOverview() {
      const number = unique();
      await trip(number);
      const query = {
        from: new Date(Date.now() - 3_600_000).toISOString(),
        to: new Date(Date.now() + 3_600_000).toISOString(),
      };
      return { query, holds: includes(number) };
    },
    async listSharedReplays() {
      const name = unique();
      await replay(name);
      return { holds: includes(name) };
    },
    shareReplay: async () => ({
      json: {
        name: unique(),
        assetIds: [await vehicle(unique())],
        from: new Date(Date.now() - 3_600_000).toISOString(),
        to: new Date().toISOString(),
      },
      outside: 'asset.not_found',
    }),
    revokeSharedReplay: async () => ({ params: { id: await replay() }, outside: 'link.not_found' }),
    createCarScreen: async () => ({
      json: { name: unique(), assetIds: [await vehicle(unique())] },
      outside: 'asset.not_found',
    }),
    revokeCarScreen: async () => ({ params: { id: await screen() }, outside: 'link.not_found' }),
  };
}
