import { explainPacket, getPacket } from '@isotherm/contracts/packets';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../../../shared/api/client.ts';

export const PACKETS_KEY = ['telemetry', 'packets'] as const;

export function packetQuery(id: number) {
  return queryOptions({
    queryKey: [...PACKETS_KEY, 'one', id],
    queryFn: ({ signal }) => call(getPacket, { params: { id }, signal, quiet: true }),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/**
 * Query for the explanation of pasted bytes. It is cached, because the same bytes always give the same
 * result.
 */
export function explanationQuery(hex: string) {
  return queryOptions({
    queryKey: [...PACKETS_KEY, 'explained', hex],
    queryFn: ({ signal }) => call(explainPacket, { body: { hex }, signal, quiet: true }),
    staleTime: Number.POSITIVE_INFINITY,
  });
}
