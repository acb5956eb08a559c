import type { Translate } from '@isotherm/i18n/translator';
import type pg from 'pg';
import type { Audit } from '../../platform/audit/audit.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Tx } from '../../platform/db/pool.ts';
import type { Mount } from '../../platform/http/mount.ts';
import type { Images } from '../../platform/images/images.ts';
import type { Imports } from '../../platform/imports/imports.ts';
import type { Job } from '../../platform/jobs/jobs.ts';
import type { Outgoing } from '../../platform/outgoing/outgoing.ts';
import type { FindLink, PublicLinks } from '../../platform/public-links/public-links.ts';
import type { ReportRegister } from '../../platform/reports/reports.ts';
import type { DeviceMoves } from '../devices/index.ts';
import { createArrivals } from './arrival/arrival.ts';
import { createRouting } from './arrival/routing.ts';
import { createClientSheets } from './clients/client-sheets.ts';
import { mountClients } from './clients/clients.routes.ts';
import { createClientsService } from './clients/clients.service.ts';
import { mountEpcisCapture } from './epcis/epcis-capture.ts';
import { mountEpcisQuery } from './epcis/epcis-query.ts';
import { mountWaybillEpcis } from './epcis/waybill-epcis.ts';
import { mountWaybillLinks } from './links/waybill-links.ts';
import { createWaybillNotices, type NoticeParts } from './notices/waybill-notices.ts';
import { createPapers } from './papers/papers.service.ts';
import { createProfileSheets } from './profiles/profile-sheets.ts';
import { mountProfiles } from './profiles/profiles.routes.ts';
import { createProfilesService } from './profiles/profiles.service.ts';
import { mountTripRoute } from './route/trip-route.ts';
import { mountTrips } from './trips/trips.routes.ts';
import { createTripsService } from './trips/trips.service.ts';
import { type AutomaticSteps, createAutomaticSteps } from './waybills/automatic-steps.ts';
import { createTripDevices } from './waybills/trip-devices.ts';
import { refuseUsedFence } from './waybills/waybill-fences.ts';
import { createWaybillSheets } from './waybills/waybill-sheets.ts';
import { mountWaybills } from './waybills/waybills.routes.ts';
import { createWaybillsService } from './waybills/waybills.service.ts';

export interface Waybills extends Pick<AutomaticSteps, 'onEvents' | 'onPresses' | 'tasks'> {
  /** Throws `geofence.in_use` if a waybill that has not ended names the geofence. */
  beforeRemoval(tx: Tx, fenceId: number): Promise<void>;
  jobs: readonly Job[];
  mount(mount: Mount): void;
}

/** Waybills with their temperature records, and the product profiles by which they are judged. */
export function createWaybills(parts: {
  pool: pg.Pool;
  audit: Pick<Audit, 'record' | 'recordAlone'>;
  clock: Clock;
  log: NoticeParts['log'];
  messages: NoticeParts['messages'];
  translate: Translate;
  running: Pick<Imports, 'run'>;
  reports: Pick<ReportRegister, 'write'>;
  images: Pick<Images, 'encode'>;
  /** Returns the product name of the installation for a host. */
  brandOf(host: string): Promise<string>;
  /** Address of the console in QR codes; null if it is not known. */
  consoleUrl: string | null;
  outgoing: Pick<Outgoing, 'ask'>;
  /** Address of a routing service; null: none. */
  routingUrl: string | null;
  links: PublicLinks;
  findLink: FindLink;
  /** Counts calls of a subject against a limit. */
  limit: (subject: string, most: number) => Promise<void>;
  deviceMoves: DeviceMoves;
}): Waybills {
  const devices = createTripDevices(parts.deviceMoves, parts.clock);
  const profiles = createProfilesService(parts.pool, parts.audit, parts.clock);
  const profileSheets = createProfileSheets({ ...parts, profiles });
  const clients = createClientsService(parts);
  const waybills = createWaybillsService(parts.pool, parts.audit, parts.clock, devices);
  const papers = createPapers({ ...parts, find: waybills.find });
  const trips = createTripsService({ ...parts, devices });
  const waybillSheets = createWaybillSheets({ ...parts, waybills });
  const automatic = createAutomaticSteps(parts.pool, parts.audit, parts.clock, devices);
  const routing = createRouting(parts.outgoing, parts.routingUrl, () => parts.clock.now());
  const arrivals = createArrivals({ ...parts, routing });
  const notices = createWaybillNotices({
    ...parts,
    async expectedAt(row, trip, now) {
      const { at } = await arrivals.read(row, trip, now);
      return at === null ? null : Date.parse(at);
    },
  });
  return {
    onEvents: automatic.onEvents,
    onPresses: automatic.onPresses,
    tasks: automatic.tasks,
    beforeRemoval: refuseUsedFence,
    jobs: [...notices.jobs, ...automatic.jobs],
    mount(mount) {
      mountProfiles(mount, profiles, profileSheets);
      mountClients(mount, clients, createClientSheets(parts));
      mountWaybillLinks(mount, { ...parts, arrivals });
      mountTrips(mount, trips);
      mountTripRoute(mount, { ...parts, routing });
      mountWaybillEpcis(mount, parts);
      mountEpcisQuery(mount, parts);
      mountEpcisCapture(mount, { ...parts, devices });
      mountWaybills(mount, waybills, waybillSheets, papers, arrivals);
    },
  };
}
