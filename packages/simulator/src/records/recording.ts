import type { ApiClient } from '../client/api-client.ts';
import type { FirmwareKey } from '../fleet/firmware-key.ts';

/** Tools for creating the demo's records. */
export interface Recording {
  client: ApiClient;
  /** Returns the id of an organisation by its code; `asset` does the same for assets. */
  organization(code: string): number;
  asset(code: string): number;
  /** Returns a date relative to the start of the demo, such as `2026-11-23`. */
  day(offset: number): string;
  startMs: number;
  historyDays: number;
  makers: FirmwareKey;
  /** Returns the key of simulated hardware by its serial number. */
  keyOf(serial: string): string;
}
