import type { Alarm } from '@isotherm/contracts/alarms';
import type { AssetRecord, ListedAsset } from '@isotherm/contracts/asset-registry';
import type { AssetCard } from '@isotherm/contracts/assets';
import type { Profile } from '@isotherm/contracts/identity';
import type { ResponseOf } from '@isotherm/contracts/route';
import type { getAlarmReport } from '@isotherm/contracts/table-reports';

export function anAlarm(changes: Partial<Alarm> = {}): Alarm {
  return {
    id: 1,
    level: 3,
    peakLevel: changes.level ?? 3,
    kind: 'high',
    subject: 'channel',
    state: 'active',
    indicator: 'temperature',
    assetId: 8,
    assetName: 'Vaccine fridge 03',
    assetKind: 'refrigerator',
    place: 'Paediatric clinic, floor 2',
    organizationName: 'Minhang District Centre',
    channelId: 80,
    channelName: 'Air',
    deviceNumber: '31020103',
    since: '2026-11-20T01:30:00.000Z',
    raisedAt: '2026-11-20T01:31:00.000Z',
    endedAt: null,
    endReason: null,
    limitValue: 8,
    recoveryMargin: 0.5,
    triggerAfterMs: 60_000,
    defrostDelayMs: null,
    value: 8.7,
    peakValue: 12.7,
    peakAt: '2026-11-20T02:12:00.000Z',
    late: false,
    acknowledgement: null,
    suppression: null,
    mustSign: false,
    required: ['reason'],
    fixed: null,
    assignee: null,
    ...changes,
  };
}

export function aCard(changes: Partial<AssetCard> = {}): AssetCard {
  return {
    id: 8,
    kind: 'refrigerator',
    name: 'Vaccine fridge 03',
    code: 'FR-03',
    place: 'Paediatric clinic, floor 2',
    organizationId: 2,
    organizationName: 'Minhang District Centre',
    state: { kind: 'normal' },
    main: {
      channelId: 80,
      name: 'Air',
      indicator: 'temperature',
      value: 4.8,
      measuredAt: '2026-11-20T02:12:00.000Z',
      low: 2,
      high: 8,
    },
    cause: null,
    silent: false,
    attention: 0,
    battery: 92,
    lastSeenAt: '2026-11-20T02:12:00.000Z',
    ...changes,
  };
}

/** Creates the full record of a vehicle for tests. */
export function aRecord(changes: Partial<AssetRecord> = {}): AssetRecord {
  return {
    id: 7,
    kind: 'vehicle',
    organizationId: 1,
    organizationName: 'Head office',
    name: 'Truck 7',
    code: 'T-7',
    materialCode: '',
    nationalCode: '',
    manufacturer: 'Foton',
    factoryNumber: '',
    brand: '',
    model: '',
    type: 'refrigerated-truck',
    plate: '沪A10007',
    size: '',
    volume: 15.5,
    purchaseSource: '',
    dualPower: true,
    dualCompressor: false,
    place: 'Yard',
    latitude: null,
    longitude: null,
    timeZone: 'Asia/Shanghai',
    status: 'normal',
    devices: ['31020107'],
    version: 3,
    createdAt: '2026-11-20T01:30:00.000Z',
    deletedAt: null,
    ...changes,
  };
}

/** Creates the same vehicle as a list row, within its limits. */
export function aListedAsset(changes: Partial<ListedAsset> = {}): ListedAsset {
  return { ...aRecord(), state: { kind: 'normal' }, main: null, cause: null, silent: false, ...changes };
}

export function aProfile(changes: Partial<Profile> = {}): Profile {
  return {
    username: 'demo.keeper',
    realname: 'Chen Wei',
    photo: '',
    isAdmin: 2,
    isShareBalance: 0,
    accountType: 'staff',
    organizationId: 2,
    organizationName: 'Minhang District Centre',
    companyId: 1,
    organizationHierarchy: '1/2',
    webSetting: {},
    pageRefreshInterval: 300,
    ReportCheckTimeRange: 31,
    ShowReportWarningInfo: false,
    defaultReportLogo: '',
    timeZoneCode: 'Asia/Shanghai',
    timeZoneOffset: 480,
    roles: ['operator'],
    mustChangePassword: false,
    mustEnrolSecondFactor: false,
    ...changes,
  };
}

/** Creates a report of 120 alarms, of which one is on its page, for tests. */
export function anAlarmReport(): ResponseOf<typeof getAlarmReport> {
  return {
    from: '2026-11-16T00:00:00.000Z',
    to: '2026-11-18T00:00:00.000Z',
    total: 120,
    unacknowledged: 1,
    medianMs: 7_200_000,
    levels: [0, 0, 120, 0, 0],
    days: [{ day: '2026-11-16', levels: [0, 0, 120, 0, 0] }],
    sites: [
      {
        organizationId: 4,
        name: 'Minhang',
        assets: 2,
        levels: [0, 0, 120, 0, 0],
        total: 120,
        unacknowledged: 1,
        medianMs: 7_200_000,
      },
    ],
    rows: [
      {
        id: 5,
        level: 3,
        kind: 'high',
        indicator: 'temperature',
        assetId: 7,
        asset: 'Vaccine fridge 03',
        code: 'FR-03',
        site: 'Minhang',
        channel: 'Air',
        device: '60000001',
        raisedAt: '2026-11-16T00:00:00.000Z',
        endedAt: null,
        peak: 11.1,
        acknowledgedBy: '',
        acknowledgedAt: null,
        cause: '',
        action: '',
      },
    ],
  };
}
