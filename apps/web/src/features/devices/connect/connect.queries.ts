import { getDeviceConnection } from '@isotherm/contracts/device-connection';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../../../shared/api/client.ts';
import { DEVICES_KEY, deviceQuery } from '../registry/registry.queries.ts';

/** Polling interval. It is short, because the user is waiting next to the device. */
const REFRESH_MS = 2_000;

export const waitedDeviceQuery = (number: string) => ({
  ...deviceQuery(number),
  refetchInterval: REFRESH_MS,
});

export function connectionQuery(number: string) {
  return queryOptions({
    queryKey: [...DEVICES_KEY, 'connection', number],
    queryFn: ({ signal }) => call(getDeviceConnection, { params: { number }, signal, quiet: true }),
    refetchInterval: REFRESH_MS,
  });
}
