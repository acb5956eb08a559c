import type { SystemName } from '@isotherm/domain/names/system-name';
import * as cabinets from '../physics/cabinets.ts';
import type { ChamberSpec } from '../physics/chamber.ts';
import type { Surrounding } from '../physics/weather.ts';
import type { FleetAsset, Probe, Traffic } from './asset.ts';
import * as routes from './routes.ts';
import { buildTimetable } from './timetable.ts';

const HOSPITAL = { organizationCode: 'DEMO-HOSPITAL', latitude: 31.1126, longitude: 121.3817 };
const WAREHOUSE = { organizationCode: 'DEMO-WAREHOUSE', latitude: 31.0912, longitude: 121.3834 };
const FLEET = { organizationCode: 'DEMO-FLEET', latitude: 31.0912, longitude: 121.3834 };

const probe = (name: SystemName, over: Partial<Probe> = {}): Probe => ({
  name,
  lagS: 40,
  offsetK: 0,
  inProduct: 0,
  draughtK: 0.2,
  ...over,
});
const LOAD = probe('load', { lagS: 420, inProduct: 0.6, draughtK: 0 });

const chamber = (
  spec: ChamberSpec,
  where: Surrounding,
  traffic: Traffic,
): Extract<FleetAsset['body'], { type: 'chamber' }> => ({ type: 'chamber', spec, where, traffic });

type Varying = Pick<FleetAsset, 'code' | 'name' | 'deviceNumber' | 'place'> & Partial<FleetAsset>;

const store = (over: Varying): FleetAsset => ({
  kind: 'cold-store',
  model: 'Walk-in 120 m³',
  deviceModel: 'IT-S4 store logger',
  ...WAREHOUSE,
  transport: 'mqtt',
  body: chamber(cabinets.WALK_IN_STORE, 'warehouse', { perHour: 5, openS: 70 }),
  probes: [probe('air-door-side', { draughtK: 0.9, offsetK: 0.3 }), probe('air-far-end', { offsetK: -0.2 })],
  extras: ['humidity', 'door', 'power', 'defrost'],
  limits: { lowC: 2, highC: 8, level: 3 },
  batteryPerDay: 0,
  batteryAtStart: 100,
  ...over,
});

const fridge = (over: Varying & { setpointC?: number; trim?: number }): FleetAsset => {
  const { setpointC = 4.8, trim = 1, ...rest } = over;
  return {
    kind: 'refrigerator',
    type: 'refrigerator',
    model: 'MPR-S313 300 l',
    deviceModel: 'IT-F2 fridge logger',
    ...HOSPITAL,
    transport: 'mqtt',
    // Seals and loads vary by some percent, so that every cabinet is different.
    body: chamber(
      {
        ...cabinets.PHARMACY_FRIDGE,
        setpointC,
        wallWPerK: cabinets.PHARMACY_FRIDGE.wallWPerK * trim,
        coolingW: cabinets.PHARMACY_FRIDGE.coolingW / Math.sqrt(trim),
      },
      'ward',
      { perHour: 4, openS: 22 },
    ),
    probes: [probe('air')],
    extras: ['door', 'power', 'battery'],
    limits: { lowC: 2, highC: 8, level: 4, farHighC: 10 },
    batteryPerDay: 0,
    batteryAtStart: 100,
    ...rest,
  };
};

const box = (over: Varying): FleetAsset => ({
  kind: 'cold-box',
  model: 'RCW-30 carrier',
  deviceModel: 'IT-B1 box logger',
  ...HOSPITAL,
  transport: 'http',
  body: {
    type: 'ice-box',
    spec: cabinets.VACCINE_CARRIER,
    where: 'ward',
    traffic: { perHour: 2, openS: 20 },
    refillHour: 7.5,
  },
  probes: [probe('inside', { lagS: 60, draughtK: 0.4 })],
  extras: ['battery', 'signal'],
  limits: { lowC: 2, highC: 8, level: 3 },
  batteryPerDay: 2.7,
  batteryAtStart: 90,
  ...over,
});

const vehicle = (
  over: Varying & {
    route: Parameters<typeof buildTimetable>[0];
    periodHours: 12 | 8 | 6;
    startHour: number;
    spec?: ChamberSpec;
  },
): FleetAsset => {
  const { route, periodHours, startHour, spec = cabinets.TRUCK_BODY, ...rest } = over;
  return {
    kind: 'vehicle',
    type: 'refrigerated-truck',
    model: 'Refrigerated truck 4.2 m',
    deviceModel: 'IT-V2 vehicle unit',
    ...FLEET,
    transport: 'mqtt',
    body: { type: 'vehicle', spec, timetable: buildTimetable(route, periodHours), startHour },
    probes: [probe('front', { offsetK: -0.3 }), probe('rear-door-side', { offsetK: 0.4, draughtK: 0.8 })],
    extras: ['door', 'voltage', 'battery', 'signal'],
    limits: { lowC: 2, highC: 8, level: 3 },
    batteryPerDay: 0,
    batteryAtStart: 100,
    ...rest,
  };
};

/** The demo fleet: a district health authority, its wholesaler and its carrier near Shanghai. */
export const FLEET_ASSETS: readonly FleetAsset[] = [
  store({
    code: 'CS-A1',
    name: 'Cold store A-1',
    deviceNumber: '31010101',
    place: 'Central warehouse, hall A',
    probes: [
      probe('air-door-side', { draughtK: 0.9, offsetK: 0.3 }),
      probe('air-far-end', { offsetK: -0.2 }),
      probe('pallet', { lagS: 300, inProduct: 0.8, draughtK: 0 }),
    ],
  }),
  store({
    code: 'CS-A2',
    transport: { packets: 'sm4-gcm' },
    name: 'Cold store A-2',
    deviceNumber: '31010102',
    place: 'Central warehouse, hall A',
  }),
  store({
    code: 'CS-B1',
    name: 'Cold store B-1',
    deviceNumber: '31010103',
    place: 'Central warehouse, hall B',
    body: chamber({ ...cabinets.WALK_IN_STORE, setpointC: 4.4, hysteresisK: 1.4 }, 'warehouse', {
      perHour: 3,
      openS: 60,
    }),
  }),
  store({
    code: 'CS-B2',
    name: 'Cold store B-2',
    deviceNumber: '31010104',
    place: 'Central warehouse, hall B',
    model: 'Controlled room 15–25 °C',
    body: chamber(cabinets.CONTROLLED_ROOM, 'warehouse', { perHour: 6, openS: 90 }),
    extras: ['humidity', 'door', 'power'],
    limits: { lowC: 15, highC: 25, level: 3 },
  }),
  store({
    code: 'CS-C1',
    name: 'Freezer store C-1',
    deviceNumber: '31010105',
    place: 'Central warehouse, hall C',
    model: 'Freezer store 90 m³',
    transport: 'http',
    body: chamber(cabinets.FREEZER_STORE, 'warehouse', { perHour: 2, openS: 45 }),
    limits: { lowC: -25, highC: -15, level: 3 },
  }),
  store({
    code: 'CS-BB',
    name: 'Blood bank cold room',
    deviceNumber: '31010206',
    place: 'Minhang District Hospital, basement 1',
    model: 'Walk-in 25 m³',
    ...HOSPITAL,
    body: chamber(cabinets.BLOOD_ROOM, 'ward', { perHour: 3, openS: 35 }),
    probes: [probe('air-top-shelf', { offsetK: 0.1 }), probe('air-bottom-shelf', { offsetK: -0.2 })],
    limits: { lowC: 2, highC: 6, level: 4 },
  }),
  fridge({
    code: 'FR-01',
    name: 'Vaccine fridge 01',
    deviceNumber: '31020101',
    place: 'Gumei health centre, vaccination',
    trim: 0.96,
  }),
  fridge({
    code: 'FR-02',
    name: 'Vaccine fridge 02',
    deviceNumber: '31020102',
    place: 'Gumei health centre, store room',
    trim: 1.08,
    setpointC: 5.1,
    transport: 'http',
  }),
  fridge({
    code: 'FR-03',
    name: 'Vaccine fridge 03',
    deviceNumber: '31020103',
    place: 'Paediatric clinic, floor 2',
    probes: [probe('air'), LOAD],
  }),
  fridge({
    code: 'FR-04',
    transport: { packets: 'none' },
    name: 'Vaccine fridge 04',
    deviceNumber: '31020104',
    place: 'Xinzhuang health centre, floor 1',
    trim: 1.15,
    setpointC: 4.5,
  }),
  fridge({
    code: 'FR-07',
    name: 'Vaccine fridge 07',
    deviceNumber: '31020107',
    place: 'Pharmacy, floor 1',
    trim: 1.02,
    probes: [probe('air'), LOAD],
  }),
  fridge({
    code: 'BF-01',
    name: 'Blood fridge 01',
    deviceNumber: '31020201',
    place: 'Blood bank, issue desk',
    model: 'Blood bank refrigerator 360 l',
    body: chamber({ ...cabinets.PHARMACY_FRIDGE, setpointC: 4, hysteresisK: 1.2 }, 'ward', {
      perHour: 3,
      openS: 18,
    }),
    limits: { lowC: 2, highC: 6, level: 4, farHighC: 10 },
  }),
  fridge({
    code: 'FZ-05',
    type: 'freezer',
    name: 'Freezer −20 No. 05',
    deviceNumber: '31020305',
    place: 'Central warehouse, quarantine',
    model: 'Upright freezer 500 l',
    ...WAREHOUSE,
    transport: 'http',
    body: chamber(cabinets.UPRIGHT_FREEZER, 'warehouse', { perHour: 1, openS: 20 }),
    extras: ['door', 'power', 'defrost'],
    limits: { lowC: -25, highC: -15, level: 4, farHighC: -12 },
  }),
  fridge({
    code: 'UL-02',
    type: 'ultra-low-freezer',
    name: 'ULT freezer 02',
    deviceNumber: '31020402',
    place: 'Blood bank, laboratory',
    model: 'Ultra-low freezer 700 l',
    body: chamber(cabinets.ULT_FREEZER, 'ward', { perHour: 0.5, openS: 30 }),
    limits: { lowC: -80, highC: -60, level: 4, farHighC: -50 },
  }),
  box({
    code: 'BX-112',
    name: 'Cold box 112',
    deviceNumber: '31030112',
    place: 'Mobile team 1',
    batteryAtStart: 74,
  }),
  box({
    code: 'BX-114',
    name: 'Cold box 114',
    deviceNumber: '31030114',
    place: 'Mobile team 2',
    batteryAtStart: 52,
  }),
  box({
    code: 'BX-117',
    name: 'Cold box 117',
    deviceNumber: '31030117',
    place: 'Mobile team 4',
    batteryAtStart: 95.2,
  }),
  box({
    code: 'BX-121',
    name: 'Cold box 121',
    deviceNumber: '31030121',
    place: 'Courier desk, warehouse',
    ...WAREHOUSE,
    transport: 'mqtt',
    batteryAtStart: 31,
  }),
  vehicle({
    code: 'TR-D8F21',
    plate: 'HUA-D8F21',
    transport: { packets: 'sm4-gcm' },
    name: 'Truck HU-A D8F21',
    deviceNumber: '31040121',
    place: 'G2 Shanghai to Nanjing',
    route: routes.SHANGHAI_NANJING,
    periodHours: 12,
    startHour: 0,
  }),
  vehicle({
    code: 'TR-6C902',
    plate: 'HUA-6C902',
    name: 'Truck HU-A 6C902',
    deviceNumber: '31040102',
    place: 'G60 Shanghai to Hangzhou',
    route: routes.SHANGHAI_HANGZHOU,
    periodHours: 8,
    startHour: 1,
  }),
  vehicle({
    code: 'TR-7E115',
    type: 'freezer-car',
    plate: 'HUA-7E115',
    name: 'Truck HU-A 7E115',
    deviceNumber: '31040115',
    place: 'Frozen, airport and port shuttle',
    model: 'Refrigerated truck 6.8 m, frozen',
    spec: cabinets.FROZEN_TRUCK_BODY,
    route: routes.AIRPORT_SHUTTLE,
    periodHours: 6,
    startHour: 3,
    extras: ['door', 'voltage', 'battery', 'signal', 'button'],
    limits: { lowC: -25, highC: -15, level: 3 },
  }),
  vehicle({
    code: 'TR-71K03',
    type: 'vaccine-transporter',
    plate: 'HUB-71K03',
    name: 'Truck HU-B 71K03',
    deviceNumber: '31040103',
    place: 'Hospital round, Shanghai',
    route: routes.CITY_ROUND,
    periodHours: 6,
    startHour: 1.5,
  }),
  vehicle({
    code: 'TR-330F8',
    plate: 'SUE-330F8',
    transport: { packets: 'aes-128-gcm' },
    name: 'Van SU-E 330F8',
    deviceNumber: '31040108',
    place: 'Suzhou, Wuxi, Changzhou',
    model: 'Refrigerated van 3.2 m',
    latitude: 31.3021,
    longitude: 120.7184,
    route: routes.SUZHOU_CHANGZHOU,
    periodHours: 8,
    startHour: 5,
  }),
  store({
    code: 'RC-441027',
    name: 'Reefer MSKU 441027-8',
    kind: 'container',
    deviceNumber: '31050127',
    place: 'Waigaoqiao yard, slot C-14',
    model: '40 ft refrigerated container',
    deviceModel: 'IT-V2 container unit',
    organizationCode: 'DEMO-FLEET',
    latitude: 31.3587,
    longitude: 121.5812,
    transport: 'http',
    body: chamber(cabinets.REEFER_CONTAINER, 'outdoors', { perHour: 0.3, openS: 120 }),
    probes: [probe('supply-air', { offsetK: -0.4, draughtK: 0 }), probe('return-air', { offsetK: 0.4 })],
    extras: ['humidity', 'door', 'power', 'signal'],
    limits: { lowC: 2, highC: 8, level: 3 },
  }),
];
