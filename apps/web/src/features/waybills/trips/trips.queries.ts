import { getTrip, listTrips, type Trip } from '@isotherm/contracts/waybill-trips';
import { queryOptions } from '@tanstack/react-query';
import { ApiError } from '../../../shared/api/api-error.ts';
import { call } from '../../../shared/api/client.ts';
import { readSession } from '../../../shared/api/session.ts';
import { handoverStore } from './handover-outbox.ts';

const KEY = ['waybills', 'trips'] as const;

export const tripsQuery = queryOptions({
  queryKey: [...KEY, 'list'],
  queryFn: ({ signal }) => call(listTrips, { signal, quiet: true }),
  refetchInterval: 60_000,
});

/** A trip with its record so far; without a connection, as it was last read in this browser. */
export const tripQuery = (id: number) =>
  queryOptions({
    queryKey: [...KEY, 'one', id],
    queryFn: ({ signal }) => readTrip(id, signal),
    refetchInterval: 60_000,
    // Without a connection, the query runs as well, for the copy.
    networkMode: 'always',
  });

export interface ReadTrip {
  trip: Trip;
  /** When the copy was read, epoch ms; null if it is current. */
  copiedAt: number | null;
}

async function readTrip(id: number, signal: AbortSignal): Promise<ReadTrip> {
  const username = readSession()?.username ?? '';
  try {
    const trip = await call(getTrip, { params: { id }, signal, quiet: true });
    await handoverStore()
      .putTrip({ id, username, trip, savedAt: Date.now() })
      .catch(() => undefined);
    return { trip, copiedAt: null };
  } catch (error) {
    const isLost = error instanceof ApiError && error.code.startsWith('client.');
    const copy = isLost
      ? await handoverStore()
          .readTrip(id)
          .catch(() => null)
      : null;
    if (copy?.username !== username) throw error;
    // A copy that an earlier version stored does not name the devices.
    return { trip: { ...copy.trip, deviceNumbers: copy.trip.deviceNumbers ?? [] }, copiedAt: copy.savedAt };
  }
}
