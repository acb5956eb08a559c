import * as alarms from './alarms.ts';
import * as assets from './assets.ts';
import * as devices from './devices.ts';
import * as identity from './identity.ts';
import type { RouteContract } from './route.ts';
import * as settings from './settings.ts';
import * as telemetry from './telemetry.ts';

function isRoute(value: unknown): value is RouteContract {
  return typeof value === 'object' && value !== null && 'access' in value && 'path' in value;
}

/** Every call of the API, for the OpenAPI document and the tests that walk them all. */
export const ALL_ROUTES: readonly RouteContract[] = [identity, settings, devices, assets, telemetry, alarms]
  .flatMap((module) => Object.values(module) as unknown[])
  .filter(isRoute);
