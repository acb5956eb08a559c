import { createHmac } from 'node:crypto';
import type { ProvisionItem } from '@isotherm/contracts/devices';
import { systemName } from '@isotherm/domain/names/system-name';
import type { Indicator } from '@isotherm/domain/readings/indicator';
import { LOCAL_TIME_ZONE } from '../physics/weather.ts';
import { channelsOf, type FleetAsset } from './asset.ts';

type RuleInput = NonNullable<ProvisionItem['sensors'][number]['channels'][number]['rules']>[number];

/**
 * Acquisition interval of the loggers. They also send when a value changes and, while connected, every 15 s.
 * A time without readings of more than twice this interval is a gap.
 */
export const ACQUISITION_INTERVAL_MS = 300_000;

/** Derives a device key from the fleet secret, which only the device and the provisioning client know. */
export function deviceKey(fleetSecret: string, deviceNumber: string): string {
  return createHmac('sha256', fleetSecret).update(deviceNumber).digest('hex');
}

/**
 * Returns an asset as input of `POST /device/provision`. `triggerMs` overrides the trigger delay of limit
 * rules.
 */
export function provisionItemOf(asset: FleetAsset, fleetSecret: string, triggerMs: number): ProvisionItem {
  const channels = channelsOf(asset);
  return {
    asset: {
      code: asset.code,
      name: asset.name,
      kind: asset.kind,
      ...(asset.type ? { type: asset.type } : {}),
      ...(asset.plate ? { plate: asset.plate } : {}),
      model: asset.model,
      place: asset.place,
      timeZone: LOCAL_TIME_ZONE,
      latitude: asset.latitude,
      longitude: asset.longitude,
      organizationCode: asset.organizationCode,
    },
    device: {
      number: asset.deviceNumber,
      name: `${asset.name} logger`,
      model: asset.deviceModel,
      key: deviceKey(fleetSecret, asset.deviceNumber),
      acquisitionIntervalMs: ACQUISITION_INTERVAL_MS,
    },
    sensors: asset.probes.map((probe, i) => ({
      index: i + 1,
      serial: `${asset.deviceNumber}-${String(i + 1).padStart(2, '0')}`,
      name: systemName(i === 0 ? 'main-unit' : probe.name),
      channels: channels
        .filter((channel) => channel.sensorIndex === i + 1)
        .map((channel) => ({
          indicator: channel.indicator,
          name: channel.name,
          rules: rulesOf(asset, channel.indicator, i === 0, triggerMs),
        })),
    })),
  };
}

function rulesOf(asset: FleetAsset, indicator: Indicator, first: boolean, triggerMs: number): RuleInput[] {
  const { lowC, highC, level, farHighC } = asset.limits;
  switch (indicator) {
    case 'temperature': {
      const band = { level, recoveryMargin: 0.3, triggerAfterMs: triggerMs, recoverAfterMs: triggerMs };
      const rules: RuleInput[] = [
        { kind: 'high', limit: highC, ...band },
        { kind: 'low', limit: lowC, ...band },
      ];
      if (farHighC !== undefined && first) {
        rules.push({ ...band, kind: 'high', level: 5, limit: farHighC, triggerAfterMs: 4 * triggerMs });
      }
      if (first) rules.push({ kind: 'no-data', level: 2, triggerAfterMs: 10 * 60_000 });
      return rules;
    }
    case 'power':
      return [{ kind: 'low', level: 2, limit: 0.5, triggerAfterMs: 60_000, recoverAfterMs: 0 }];
    case 'battery':
      return [{ kind: 'low', level: 1, limit: 15, recoveryMargin: 5, triggerAfterMs: 0 }];
    default:
      return [];
  }
}
