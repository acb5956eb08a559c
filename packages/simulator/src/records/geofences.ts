import { createGeofence, type GeofenceInput, listGeofences } from '@isotherm/contracts/geofences';
import type { Waypoint } from '../fleet/road.ts';
import {
  CITY_ROUND,
  HANGZHOU_CONTROL,
  SHANGHAI_HANGZHOU,
  SHANGHAI_NANJING,
  SUZHOU_CHANGZHOU,
} from '../fleet/routes.ts';
import type { Recording } from './recording.ts';

const place = ({ latitude, longitude }: Waypoint) => ({ latitude, longitude });
const last = (road: readonly Waypoint[]) => place(road.at(-1) as Waypoint);
const first = (road: readonly Waypoint[]) => place(road[0] as Waypoint);

type Fence = Pick<GeofenceInput, 'name' | 'shape'> & Partial<Pick<GeofenceInput, 'dwellMinutes' | 'note'>>;

/** Geofences of the demo: places and routes of its trucks. */
export const FENCES: readonly Fence[] = [
  {
    name: 'Minhang depot',
    shape: { kind: 'circle', centre: first(CITY_ROUND), radiusM: 400 },
    note: 'Gate, yard and docks',
  },
  {
    name: 'Nanjing Jiangning',
    shape: { kind: 'circle', centre: last(SHANGHAI_NANJING), radiusM: 800 },
    dwellMinutes: 30,
  },
  {
    name: 'Hangzhou hospital',
    shape: { kind: 'circle', centre: last(SHANGHAI_HANGZHOU), radiusM: 600 },
    dwellMinutes: 30,
  },
  {
    name: 'Suzhou park depot',
    shape: { kind: 'circle', centre: first(SUZHOU_CHANGZHOU), radiusM: 400 },
  },
  {
    name: 'Changzhou clinic',
    shape: { kind: 'circle', centre: last(SUZHOU_CHANGZHOU), radiusM: 500 },
  },
  {
    name: 'Shanghai inside the outer ring',
    shape: {
      kind: 'polygon',
      ring: [
        [31.37, 121.42],
        [31.36, 121.51],
        [31.3, 121.62],
        [31.2, 121.66],
        [31.13, 121.6],
        [31.1, 121.47],
        [31.12, 121.37],
        [31.22, 121.35],
        [31.31, 121.37],
      ].map(([latitude = 0, longitude = 0]) => ({ latitude, longitude })),
    },
  },
  {
    name: 'Road to Hangzhou',
    shape: { kind: 'corridor', line: HANGZHOU_CONTROL.map(place), sideM: 1_500 },
    note: 'G60 with its service areas',
  },
];

/** Creates the places and routes of the demo's trucks, for all of its organisations. */
export async function drawGeofences({ client, organization }: Recording): Promise<void> {
  const { total } = await client.call(listGeofences, { query: { pageSize: '1' } });
  if (total > 0) return;
  for (const fence of FENCES)
    await client.call(createGeofence, { body: { ...fence, organizationId: organization('DEMO') } });
}
