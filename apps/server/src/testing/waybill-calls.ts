import { randomUUID } from 'node:crypto';
import { seenVerdictOf, type TripRecord } from '@isotherm/contracts/waybills';
import type { CallTools, Step } from './call-steps.ts';
import type { TestServer } from './test-server.ts';

/** Limits of a waybill without a product profile, as they are stored. */
export const WAYBILL_LIMITS = {
  temperatureLow: 2,
  temperatureHigh: 8,
  humidityLow: null,
  humidityHigh: null,
  budget: [],
  mktLimit: null,
  activationKj: 83.144,
  profileName: null,
  profileVersion: null,
  preCoolMinutes: null,
};

/** Returns the calls on waybills, each with its own. */
export async function waybillSteps(
  { one, unique, demo, why }: CallTools,
  server: TestServer,
  asset: number,
): Promise<Record<string, (callerName: string) => Promise<Step> | Step>> {
  const session = await server.logIn('demo.platform');
  const template = await server.call<{ content: string }>({ path: '/api/waybill/template', session });
  const make = async (state = 'not-shipped', number = unique()) => {
    const departed = state === 'not-shipped' ? null : new Date(Date.now() - 3_600_000);
    const ended = state === 'arrived' ? new Date(Date.now() - 60_000) : null;
    const id = await one(
      `insert into waybill (organization_id, number, state, consignor_unit, consignee_unit, asset_id,
         planned_departure_at, limits, departed_at, ended_at, changed_by, changed_at)
       values ($1, $2, $3, 'Warehouse', 'Hospital', $4, now(), $5, $6, $7, 'test', now()) returning id`,
      [demo, number, state, asset, JSON.stringify(WAYBILL_LIMITS), departed, ended],
    );
    if (departed)
      await one(
        `insert into waybill_leg (waybill_id, position, asset_id, started_at, ended_at) values ($1, 0, $2, $3, $4)
         returning waybill_id as id`,
        [id, asset, departed, ended],
      );
    return id;
  };
  const form = () => ({
    organizationId: demo,
    number: unique(),
    consignorUnit: 'Warehouse',
    consigneeUnit: 'Hospital',
    assetId: asset,
    plannedDepartureAt: '2027-12-25T00:30:00.000Z',
    temperatureLow: 2,
    temperatureHigh: 8,
  });
  /** Has the account with this name, if there is one, drive the trip. */
  const drive = async (id: number, username: string) => {
    await one(
      `update waybill set driver_id = (select id from account where username = $2) where id = $1 returning id`,
      [id, username],
    );
    return id;
  };
  const handover = () => ({
    requestKey: randomUUID(),
    kind: 'deliver',
    ageMs: 0,
    givenBy: 'Driver',
    takenBy: 'Pharmacist',
    assetId: null,
    sealsIntact: true,
    undamaged: true,
    received: [],
    remark: '',
    signature: { kind: 'typed' },
  });
  const found = async (holds: (number: string) => Step['holds']): Promise<Step> => {
    const number = unique();
    await make('not-shipped', number);
    return { query: { search: number }, holds: holds(number) };
  };
  const outside = 'waybill.not_found';
  const now = () => new Date(Date.now() - 1_000).toISOString();
  const otherAsset = () =>
    one(
      `insert into asset (organization_id, kind, code, name)
       select organization_id, 'vehicle', $2, $2 from asset where id = $1 returning id`,
      [asset, unique()],
    );
  const step = (state: string, json: () => object) => async (): Promise<Step> => ({
    params: { id: await make(state) },
    json: json(),
    outside,
  });
  return {
    createWaybill: () => ({ json: form(), outside: 'organization.not_found' }),
    async captureEpcis() {
      const number = unique();
      await make('in-transport', number);
      const event = {
        type: 'ObjectEvent',
        action: 'OBSERVE',
        eventTime: now(),
        eventTimeZoneOffset: '+00:00',
        epcList: ['urn:epc:id:sscc:4012345.0000000001'],
        bizTransactionList: [{ type: 'bol', bizTransaction: `urn:epcglobal:cbv:bt:4012345000009:${number}` }],
      };
      return {
        json: {
          '@context': ['https://ref.gs1.org/standards/epcis/2.0.0/epcis-context.jsonld'],
          type: 'EPCISDocument',
          schemaVersion: '2.0',
          creationDate: now(),
          epcisBody: { eventList: [event] },
        },
        outside: 'epcis.unknown_waybill',
      };
    },
    async queryEpcisEvents() {
      const number = unique();
      const at = now();
      await one(
        `insert into waybill_event (waybill_id, event_id, digest, at, event, is_step, username, captured_at)
         values ($1, $2, '', $3, $4, false, 'test', now()) returning id`,
        // The list of trips has room for 100 under way, which other calls need.
        [await make('arrived'), `urn:test:${number}`, at, JSON.stringify({ type: 'ObjectEvent' })],
      );
      return { query: { GE_eventTime: at }, holds: (data) => String(data).includes(`urn:test:${number}`) };
    },
    adjustWaybill: step('not-shipped', () => ({ waybill: form() })),
    deleteWaybill: step('not-shipped', () => why),
    departWaybill: step('not-shipped', () => ({ at: now(), assetId: asset })),
    transshipWaybill: async () => ({
      params: { id: await make('in-transport') },
      json: { at: now(), assetId: await otherAsset() },
      outside,
    }),
    deliverWaybill: step('in-transport', () => ({ at: now(), person: 'Pharmacist' })),
    rejectWaybill: step('in-transport', () => ({ at: now(), person: 'Pharmacist', note: 'Too warm' })),
    decideWaybill: async () => {
      const id = await make('arrived');
      const record = await server.call<TripRecord>({ path: `/api/waybill/${id}/record`, session });
      const seen = seenVerdictOf(record.data, null);
      return { params: { id }, json: { decision: 'released', ...why, seen }, outside };
    },
    getWaybill: async () => ({ params: { id: await make() }, outside }),
    getWaybillEpcis: async () => ({ params: { id: await make('arrived') }, outside }),
    getWaybillArrival: async () => ({ params: { id: await make('in-transport') }, outside }),
    getTripRecord: async () => ({ params: { id: await make('arrived') }, outside }),
    getTripRoute: async () => ({ params: { id: await make('arrived') }, outside }),
    listWaybillLinks: async () => ({ params: { id: await make() }, outside }),
    createWaybillLink: step('in-transport', () => ({ days: 7 })),
    async revokeWaybillLink() {
      const id = await make('in-transport');
      const linkId = await one(
        `insert into public_link (token_hash, purpose, subject_id, created_at, expires_at)
         values (sha256(convert_to($1, 'UTF8')), 'waybill-view', $2, now(), now() + interval '1 day') returning id`,
        [unique(), id],
      );
      return { params: { id, linkId }, outside };
    },
    printTripReport: async () => ({ params: { id: await make('arrived') }, query: { zone: 'UTC' }, outside }),
    printWaybill: async () => ({ params: { id: await make() }, query: { zone: 'UTC' }, outside }),
    getTrip: async (driver) => ({ params: { id: await drive(await make('in-transport'), driver) }, outside }),
    handOverTrip: async (driver) => ({
      params: { id: await drive(await make('in-transport'), driver) },
      fields: { handover: JSON.stringify(handover()) },
      outside,
    }),
    async listTrips(driver) {
      const number = unique();
      await drive(await make('in-transport', number), driver);
      return { holds: (data) => JSON.stringify(data).includes(number) };
    },
    async listWaybillArrivals() {
      const id = await make('in-transport');
      return {
        query: { ids: String(id) },
        holds: (data) => (data as { id: number }[]).some((each) => each.id === id),
      };
    },
    async listWaybillDevices() {
      const number = String(10_000_000 + Math.floor(Math.random() * 89_999_999));
      await one(
        `insert into device (organization_id, number, name, key_hash)
         select organization_id, $2, 'Logger', '' from asset where id = $1 returning id`,
        [asset, number],
      );
      return {
        query: { assetId: String(asset), search: number },
        holds: (data) => JSON.stringify(data).includes(number),
      };
    },
    async listWaybillDrivers() {
      const username = unique();
      await one(
        `with made as (
           insert into account (organization_id, username, realname, password_hash, account_type)
           values ($1, $2, $2, '', 'staff') returning id)
         insert into account_role
         select made.id, r.id from made, role r where r.code = 'driver' returning account_id as id`,
        [demo, username],
      );
      return {
        query: { organizationId: String(demo), search: username },
        holds: (data) => JSON.stringify(data).includes(username),
      };
    },
    async readWaybillPhoto() {
      const id = await make('arrived');
      const photo = await one(
        `with entry as (
           insert into waybill_custody (waybill_id, action, at, username, recorded_at)
           values ($1, 'deliver', now(), 'test', now()) returning id),
         handover as (
           insert into waybill_handover (waybill_id, custody_id, request_key, kind, given_by, taken_by, seals_intact,
             undamaged, received, signature)
           select $1, id, gen_random_uuid(), 'deliver', 'Driver', 'Pharmacist', true, true, '[]', '' from entry
           returning id)
         insert into waybill_photo (handover_id, position, bytes) select id, 0, '\\x00' from handover returning id`,
        [id],
      );
      return { params: { id, photo }, outside };
    },
    exportWaybills: () => found(() => (data) => (data as { rows: number }).rows > 0),
    listWaybills: () => found((number) => (data) => JSON.stringify(data).includes(number)),
    importWaybills: () => ({
      fields: {
        file: { name: 'waybills.xlsx', bytes: Buffer.from(template.data.content, 'base64') },
        dryRun: 'true',
      },
    }),
  };
}
