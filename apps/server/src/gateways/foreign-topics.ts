import { THINGSBOARD_GATEWAY_TOPIC, THINGSBOARD_TOPIC } from '@isotherm/contracts/ingest';
import type { HardwareMessages } from '@isotherm/protocol/hardware/hardware-message';
import { readAttributes, readGatewayTelemetry, readTelemetry } from '@isotherm/protocol/hardware/thingsboard';

export interface ForeignTopic {
  read(payload: unknown): HardwareMessages;
  /** Whether the message names devices behind the sender. */
  isGateway: boolean;
}

const nothing = (): HardwareMessages => ({ messages: [], faults: ['event'] });

/** Topics of the ThingsBoard device API, the same for every device. */
export const FOREIGN_TOPICS: ReadonlyMap<string, ForeignTopic> = new Map([
  [THINGSBOARD_TOPIC, { read: readTelemetry, isGateway: false }],
  ['v1/devices/me/attributes', { read: readAttributes, isGateway: false }],
  [THINGSBOARD_GATEWAY_TOPIC, { read: readGatewayTelemetry, isGateway: true }],
  ['v1/gateway/attributes', { read: readGatewayTelemetry, isGateway: true }],
  // The registry knows which devices are behind a gateway.
  ['v1/gateway/connect', { read: nothing, isGateway: true }],
  ['v1/gateway/disconnect', { read: nothing, isGateway: true }],
]);
