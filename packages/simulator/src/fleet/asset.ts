import { channelKey } from '@isotherm/contracts/ingest';
import type { AssetKind, AssetType } from '@isotherm/domain/assets/asset-kind';
import { type SystemName, systemName } from '@isotherm/domain/names/system-name';
import type { Indicator } from '@isotherm/domain/readings/indicator';
import type { Encryption } from '@isotherm/protocol/gateway-packet/packet-words';
import type { ChamberSpec } from '../physics/chamber.ts';
import type { IceBoxSpec } from '../physics/ice-box.ts';
import type { Surrounding } from '../physics/weather.ts';
import type { Timetable } from './timetable.ts';

/** A temperature probe: its position and time constant. */
export interface Probe {
  name: SystemName;
  /** Time constant of the probe in seconds: 20 s for a bare one, some minutes in a glycol bottle. */
  lagS: number;
  /** Difference from the mean air temperature, caused by stratification. */
  offsetK: number;
  /** Position of the probe: 0 in the air, 1 in the product. */
  inProduct: number;
  /** Additional warmth at the probe when the door is wide open. */
  draughtK: number;
}

export interface Traffic {
  /** Number of door openings per hour during working hours; at night it is a tenth of this. */
  perHour: number;
  /** Typical duration of a door opening in seconds. */
  openS: number;
}

/** An asset of the simulated fleet with its device. */
export interface FleetAsset {
  code: string;
  name: string;
  kind: AssetKind;
  type?: AssetType;
  /** Plate of a vehicle. */
  plate?: string;
  model: string;
  place: string;
  organizationCode: string;
  latitude: number;
  longitude: number;
  deviceNumber: string;
  deviceModel: string;
  /** Protocol of the device: JSON over MQTT or HTTP, or gateway packets over TCP with this encryption. */
  transport: 'mqtt' | 'http' | { packets: Encryption };
  body:
    | { type: 'chamber'; spec: ChamberSpec; where: Surrounding; traffic: Traffic }
    | { type: 'vehicle'; spec: ChamberSpec; timetable: Timetable; startHour: number }
    | { type: 'ice-box'; spec: IceBoxSpec; where: Surrounding; traffic: Traffic; refillHour: number };
  probes: readonly Probe[];
  /** Further channels of the main unit, in the order of its messages. */
  extras: readonly Indicator[];
  limits: { lowC: number; highC: number; level: 3 | 4; farHighC?: number };
  /** Decrease of the battery level per day in percent; 0 for mains-powered loggers. */
  batteryPerDay: number;
  /** Battery level in percent at the start of the history. */
  batteryAtStart: number;
}

/** Returns the channels of an asset in the order of the values that `measure` returns. */
export function channelsOf(
  asset: FleetAsset,
): { key: string; indicator: Indicator; sensorIndex: number; name: string }[] {
  const probes = asset.probes.map((probe, i) => ({
    indicator: 'temperature' as const,
    sensorIndex: i + 1,
    name: systemName(probe.name),
  }));
  const extras = asset.extras.map((indicator) => ({
    indicator,
    sensorIndex: 1,
    name: systemName(extraName(indicator)),
  }));
  return [...probes, ...extras].map((channel) => ({
    ...channel,
    key: channelKey(channel.indicator, channel.sensorIndex),
  }));
}

/**
 * Returns the name of an additional channel. It is its quantity; temperature and humidity also contain the
 * place of measurement.
 */
function extraName(indicator: Indicator): SystemName {
  if (indicator === 'power') return 'mains-power';
  return indicator === 'voltage' ? 'vehicle-voltage' : indicator;
}
