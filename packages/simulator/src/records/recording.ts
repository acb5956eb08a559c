import type { ApiClient } from '../client/api-client.ts';
import type { FirmwareKey } from '../fleet/firmware-key.ts';

/** What the parts of the demonstration's records are made with. */
export interface Recording {
  client: ApiClient;
  /** Ids of organisations and assets by their codes. */
  organization(code: string): number;
  asset(code: string): number;
  /** A date so many days from the beginning of the demonstration, as `2026-11-23`. */
  day(offset: number): string;
  startMs: number;
  historyDays: number;
  makers: FirmwareKey;
}
