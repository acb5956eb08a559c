import type { exportDevices } from '@isotherm/contracts/device-registry';
import type { ResponseOf } from '@isotherm/contracts/route';
import type { TextId } from '@isotherm/i18n/text-id';
import type { Translate } from '@isotherm/i18n/translator';
import type { Audit } from '../../../platform/audit/audit.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import { exportSheet } from '../../../platform/sheets/sheet-export.ts';
import type { DeviceQuery } from './device-filter.ts';
import type { RegistryService } from './registry.service.ts';

const MAX_EXPORT = 50_000;

export interface DeviceSheets {
  export(caller: Caller, query: DeviceQuery): Promise<ResponseOf<typeof exportDevices>>;
}

export function createDeviceSheets(
  registry: Pick<RegistryService, 'listAll'>,
  audit: Pick<Audit, 'recordAlone'>,
  translate: Translate,
): DeviceSheets {
  return {
    async export(caller, query) {
      const word = (id: TextId) => translate(caller.language, id);
      const number = (value: number | null) => (value === null ? '' : String(value));
      const head = [
        'number',
        'name',
        'type',
        'model',
        'serial',
        'organization',
        'asset',
        'gateway',
        'eui',
      ] as const;
      const more = [
        'connection',
        'last-seen',
        'battery',
        'signal',
        'supply',
        'term',
        'expires',
        'zone',
      ] as const;
      const periods = ['offline-after', 'acquisition', 'upload'] as const;
      return exportSheet(audit, caller, {
        fileName: 'device-list.xlsx',
        objectKind: 'device',
        sheetName: 'Devices',
        head: [...head, ...more, ...periods].map((id) => word(`devices.${id}`)),
        widths: [12, 24, 14, 20, 20, 24, 24, 12, 20, 14, 26, 10, 10, 14, 14, 14, 18, 14, 14, 14],
        found: await registry.listAll(caller, query, MAX_EXPORT + 1),
        most: MAX_EXPORT,
        cellsOf: (device) => [
          device.number,
          device.name,
          word(`devices.type.${device.type}`),
          device.model,
          device.serial,
          device.organizationName,
          device.asset?.name ?? '',
          device.gatewayNumber ?? '',
          device.devEui ?? '',
          word(`devices.connection.${device.connection}`),
          device.lastSeenAt ?? '',
          number(device.battery),
          number(device.signal),
          word(`devices.supply.${device.supply}`),
          word(`devices.term.${device.term}`),
          device.expiresOn ?? '',
          device.timeZone,
          number(device.offlineAfterMinutes),
          number(device.acquisitionIntervalS),
          number(device.uploadIntervalS),
        ],
      });
    },
  };
}
