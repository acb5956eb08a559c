import type { CallTools, Step } from './call-steps.ts';

const SHAPE = { kind: 'circle', centre: { latitude: 31.2, longitude: 121.4 }, radiusM: 500 };

/** Returns the calls on geofences, each with its own. */
export function geofenceSteps(
  { one, unique, demo, why }: CallTools,
  asset: number,
): Record<string, () => Promise<Step> | Step> {
  async function make(name = unique()): Promise<number> {
    const id = await one(
      `insert into geofence (organization_id, name, changed_by, changed_at) values ($1, $2, 'test', now()) returning id`,
      [demo, name],
    );
    await one(
      `insert into geofence_version (geofence_id, valid_from, shape, margin_m, shared) values ($1, now(), $2, 50, true) returning id`,
      [id, JSON.stringify(SHAPE)],
    );
    return id;
  }
  async function event(name: string): Promise<void> {
    const id = await make(name);
    await one(
      `insert into geofence_event (asset_id, geofence_id, version_id, kind, at, latitude, longitude, recorded_at)
       select $1, $2, v.id, 'enter', now(), 31.2, 121.4, now() from geofence_version v where v.geofence_id = $2 returning id`,
      [asset, id],
    );
  }
  const form = () => ({ organizationId: demo, name: unique(), shape: SHAPE });
  const outside = 'geofence.not_found';
  const includes = (name: string) => (data: unknown) => JSON.stringify(data).includes(name);
  const found =
    (prepare: (name: string) => Promise<unknown>, holds: (name: string) => NonNullable<Step['holds']>) =>
    async (): Promise<Step> => {
      const name = unique();
      await prepare(name);
      return { query: { search: name }, holds: holds(name) };
    };
  const hasRows = () => (data: unknown) => (data as { rows: number }).rows > 0;
  const point = JSON.stringify({
    type: 'Feature',
    properties: { name: 'Matrix', radius_m: 500 },
    geometry: { type: 'Point', coordinates: [121.4, 31.2] },
  });
  return {
    createGeofence: () => ({ json: form(), outside: 'organization.not_found' }),
    editGeofence: async () => ({ params: { id: await make() }, json: form(), outside }),
    deleteGeofence: async () => ({ params: { id: await make() }, json: why, outside }),
    getGeofence: async () => ({ params: { id: await make() }, outside }),
    listGeofences: found(make, includes),
    exportGeofences: found(make, includes),
    async listFenceOutlines() {
      const name = unique();
      await make(name);
      return { holds: includes(name) };
    },
    listGeofenceEvents: found(event, includes),
    exportGeofenceEvents: found(event, hasRows),
    importGeofences: () => ({
      fields: {
        file: { name: 'fences.geojson', bytes: new TextEncoder().encode(point) },
        dryRun: 'true',
        organizationId: String(demo),
      },
      outside: 'organization.not_found',
    }),
  };
}
