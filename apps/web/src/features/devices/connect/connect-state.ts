import type { DeviceConnection } from '@isotherm/contracts/device-connection';
import type { DeviceDetail, DeviceSensor } from '@isotherm/contracts/device-registry';
import type { Indicator } from '@isotherm/domain/readings/indicator';

/** Connection state of a device, the most advanced state first. */
export type ConnectState = 'live' | 'rejected' | 'connected' | 'wrong-key' | 'waiting';

export interface LiveChannel {
  channelId: number;
  name: string;
  indicator: Indicator;
  sensorIndex: number;
  value: number | null;
  measuredAt: string | null;
  low: number | null;
  high: number | null;
}

export const channelsOf = ({ sensors }: Pick<DeviceDetail, 'sensors'>): LiveChannel[] =>
  sensors.flatMap((sensor: DeviceSensor) =>
    sensor.disabled ? [] : sensor.channels.map((channel) => ({ ...channel, sensorIndex: sensor.index })),
  );

/**
 * Returns the connection state. A refused message counts until a reading is stored; a wrong key counts until
 * the device connects.
 */
export function connectState(
  device: Pick<DeviceDetail, 'lastSeenAt' | 'sensors'>,
  connection: Pick<DeviceConnection, 'connected' | 'refused' | 'messages'>,
): ConnectState {
  if (channelsOf(device).some(({ measuredAt }) => measuredAt !== null)) return 'live';
  if (connection.messages.length > 0) return 'rejected';
  if (connection.refused) return 'wrong-key';
  return connection.connected || device.lastSeenAt ? 'connected' : 'waiting';
}

/**
 * Returns the channel that is shown large and used in the examples: the first temperature, otherwise the
 * first channel.
 */
export function mainChannel(channels: readonly LiveChannel[]): LiveChannel | undefined {
  return channels.find(({ indicator }) => indicator === 'temperature') ?? channels[0];
}
