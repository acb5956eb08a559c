import { listFenceOutlines } from '@isotherm/contracts/geofences';
import { listProductProfiles } from '@isotherm/contracts/product-profiles';
import type { ResponseOf } from '@isotherm/contracts/route';
import {
  adjustWaybill,
  createWaybill,
  decideWaybill,
  deleteWaybill,
  deliverWaybill,
  departWaybill,
  getTripRecord,
  getTripRoute,
  getWaybill,
  getWaybillArrival,
  listWaybillArrivals,
  listWaybillDevices,
  listWaybillDrivers,
  MOST_ARRIVALS,
  printTripReport,
  printWaybill,
  rejectWaybill,
  type SeenVerdict,
  transshipWaybill,
  type WaybillDetail,
  type WaybillInput,
} from '@isotherm/contracts/waybills';
import type { WaybillAction } from '@isotherm/domain/waybills/waybill';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { usePermission } from '../../../shared/access/permissions.ts';
import { ApiError } from '../../../shared/api/api-error.ts';
import { call } from '../../../shared/api/client.ts';
import { useRefreshing } from '../../../shared/api/crud-changes.ts';
import { saveFile } from '../../../shared/ui/save-file.ts';

export const WAYBILLS_KEY = ['waybills', 'waybills'] as const;
const KEYS = [WAYBILLS_KEY];
const PRE_COOL_EVERY_MS = 30_000;
const ARRIVAL_EVERY_MS = 60_000;
const RECORD_EVERY_MS = 60_000;
/** The route is the larger answer, and a vehicle goes on for minutes without changing its picture. */
const ROUTE_EVERY_MS = 5 * 60_000;

export const waybillQuery = (id: number) =>
  queryOptions({
    queryKey: [...WAYBILLS_KEY, 'one', id],
    queryFn: ({ signal }) => call(getWaybill, { params: { id }, signal, quiet: true }),
    // The time that is still missing before the departure.
    refetchInterval: ({ state: { data } }) =>
      data?.preCool && data.departedAt === null ? PRE_COOL_EVERY_MS : false,
  });

type Trip = Pick<WaybillDetail, 'id' | 'state'>;
/** A trip under way goes on while its page is open. */
const whileUnderWay = ({ state }: Trip, everyMs: number) => (state === 'in-transport' ? everyMs : false);

export const tripRecordQuery = (trip: Trip) =>
  queryOptions({
    queryKey: [...WAYBILLS_KEY, 'record', trip.id],
    queryFn: ({ signal }) => call(getTripRecord, { params: { id: trip.id }, signal, quiet: true }),
    refetchInterval: whileUnderWay(trip, RECORD_EVERY_MS),
  });

export const tripRouteQuery = (trip: Trip) =>
  queryOptions({
    queryKey: [...WAYBILLS_KEY, 'route', trip.id],
    queryFn: ({ signal }) => call(getTripRoute, { params: { id: trip.id }, signal, quiet: true }),
    refetchInterval: whileUnderWay(trip, ROUTE_EVERY_MS),
  });

/** Estimated arrival; it is read again, because the vehicle moves. */
export const arrivalQuery = (id: number) =>
  queryOptions({
    queryKey: [...WAYBILLS_KEY, 'arrival', id],
    queryFn: ({ signal }) => call(getWaybillArrival, { params: { id }, signal, quiet: true }),
    refetchInterval: ARRIVAL_EVERY_MS,
  });

type Expected = ResponseOf<typeof listWaybillArrivals>[number];

/** Waybills whose arrivals are asked for together, since the rows of a list ask at the same time. */
let asked: { id: number; settle: (arrival: Promise<Expected | null>) => void }[] = [];

function askTogether(): void {
  const batch = asked;
  asked = [];
  for (let begin = 0; begin < batch.length; begin += MOST_ARRIVALS) {
    const part = batch.slice(begin, begin + MOST_ARRIVALS);
    const arrivals = call(listWaybillArrivals, {
      query: { ids: part.map(({ id }) => id).join(',') },
      quiet: true,
    });
    for (const { id, settle } of part)
      settle(arrivals.then((found) => found.find((each) => each.id === id) ?? null));
  }
}

/** Estimated arrival of a row of the list; null if it is not under way. */
export const expectedQuery = (id: number) =>
  queryOptions({
    queryKey: [...WAYBILLS_KEY, 'expected', id],
    queryFn: () =>
      new Promise<Expected | null>((settle) => {
        asked.push({ id, settle });
        if (asked.length === 1) queueMicrotask(askTogether);
      }),
    refetchInterval: ARRIVAL_EVERY_MS,
  });

export const PAPERS = ['waybill', 'report'] as const;
export type PaperName = (typeof PAPERS)[number];
const PRINTS = { waybill: printWaybill, report: printTripReport } as const;

/** Saves a waybill or the report of its trip as PDF. It shows errors itself, as a toast. */
export async function savePaper(
  paper: PaperName,
  { id, number }: Pick<WaybillDetail, 'id' | 'number'>,
  zone: string,
): Promise<void> {
  const { content } = await call(PRINTS[paper], { params: { id }, query: { zone } });
  saveFile(`${number} ${paper}.pdf`, content);
}

/** Enabled products for the form of a waybill. */
export const PRODUCTS = {
  key: ['waybills', 'profiles'],
  search: async (search: string) => {
    const { items } = await call(listProductProfiles, { query: { search, enabled: 'true', pageSize: '50' } });
    return items.map(({ id, name, code }) => ({ value: id, label: name, hint: code }));
  },
};

/** Accounts that may drive the trips of an organisation, for the form of a waybill. */
export const driversOf = (organizationId: number | undefined) => ({
  key: ['waybills', 'drivers', organizationId ?? 0],
  search: async (search: string) => {
    if (organizationId === undefined) return [];
    const drivers = await call(listWaybillDrivers, {
      query: { organizationId: String(organizationId), search },
    });
    return drivers.map(({ id, realname, username, organizationName }) => ({
      value: id,
      label: realname || username,
      hint: organizationName,
    }));
  },
});

/** Devices that can be bound to an asset for a trip. */
export const findTripDevices = (assetId: number, search: string) =>
  call(listWaybillDevices, { query: { assetId: String(assetId), search } });

const NO_FENCES: readonly { id: number; name: string }[] = [];

/** Geofences for the form of a waybill: those that the user sees, and those that the waybill has. */
export function useFenceOptions(waybill: WaybillDetail | undefined) {
  const seesFences = usePermission('map-geofences:view');
  const { data } = useQuery({
    queryKey: ['maps', 'fences', 'outlines'],
    queryFn: ({ signal }) => call(listFenceOutlines, { signal, quiet: true }),
    enabled: seesFences,
  });
  const fences = data?.fences ?? NO_FENCES;
  return useMemo(() => {
    const known = new Map(fences.map(({ id, name }) => [id, name]));
    if (waybill?.departureFenceId && waybill.departureFenceName)
      known.set(waybill.departureFenceId, waybill.departureFenceName);
    for (const [index, id] of (waybill?.arrivalFenceIds ?? []).entries())
      known.set(id, waybill?.arrivalFenceNames[index] ?? '');
    return [...known].map(([value, label]) => ({ value, label }));
  }, [fences, waybill]);
}

export interface StepInput {
  at: string;
  assetId?: number;
  person: string;
  note: string;
  preCoolReason: string;
}

const STEPS = {
  depart: departWaybill,
  transship: transshipWaybill,
  deliver: deliverWaybill,
  reject: rejectWaybill,
} as const;
export type Step = keyof typeof STEPS;
export const isStep = (action: WaybillAction): action is Step => action in STEPS;

/** Changes of waybills; the lists and pages are loaded again. */
export function useWaybillChanges() {
  const refreshing = useRefreshing(KEYS);
  return {
    create: (body: WaybillInput) => refreshing(call(createWaybill, { body })),
    adjust: (id: number, waybill: WaybillInput, reason: string) =>
      refreshing(call(adjustWaybill, { params: { id }, body: { waybill, reason } })),
    remove: (id: number, reason: string) =>
      refreshing(call(deleteWaybill, { params: { id }, body: { reason } })),
    step: (id: number, step: Step, { at, assetId, person, note, preCoolReason }: StepInput) => {
      const moved = { at, assetId: assetId ?? 0, person, note };
      if (step === 'depart')
        return refreshing(call(departWaybill, { params: { id }, body: { ...moved, preCoolReason } }));
      if (step === 'transship') return refreshing(call(transshipWaybill, { params: { id }, body: moved }));
      return refreshing(call(STEPS[step], { params: { id }, body: { at, person, note } }));
    },
    /** If the verdict is not the one that was seen, the page is loaded again before the call fails. */
    decide: async (
      id: number,
      body: { decision: 'released' | 'quarantined' | 'rejected'; reason: string; seen: SeenVerdict },
    ) => {
      try {
        return await refreshing(call(decideWaybill, { params: { id }, body, quiet: true }));
      } catch (error) {
        if (error instanceof ApiError && error.code === 'waybill.verdict_changed')
          await refreshing(Promise.resolve());
        throw error;
      }
    },
  };
}
