import type { ChamberSpec } from './chamber.ts';
import type { IceBoxSpec } from './ice-box.ts';

/**
 * Pharmacy refrigerator: 300 l, forced air, glass door, cycles of about half an hour. Its unit is powerful
 * enough to recover after an open door, so it seldom runs while the door is closed.
 */
export const PHARMACY_FRIDGE: ChamberSpec = {
  evaporatorKjPerK: 5,
  airKjPerK: 12,
  productKjPerK: 90,
  evaporatorWPerK: 24,
  productWPerK: 8,
  wallWPerK: 1.3,
  openDoorWPerK: 40,
  coolingW: 170,
  heatingW: 0,
  internalW: 8,
  setpointC: 4.8,
  hysteresisK: 2,
  minimumRestS: 240,
  defrost: null,
};

/** Upright freezer at −20 °C with a fan coil that is defrosted four times a day. */
export const UPRIGHT_FREEZER: ChamberSpec = {
  evaporatorKjPerK: 7,
  airKjPerK: 32,
  productKjPerK: 220,
  evaporatorWPerK: 22,
  productWPerK: 26,
  wallWPerK: 1.6,
  openDoorWPerK: 22,
  coolingW: 250,
  heatingW: 0,
  internalW: 10,
  setpointC: -21,
  hysteresisK: 2.4,
  minimumRestS: 300,
  defrost: { everyS: 6 * 3600, heaterW: 520, endC: 6, longestS: 1200 },
};

/** Ultra-low freezer: cascade compressor, thick walls, defrosted by hand once a year. */
export const ULT_FREEZER: ChamberSpec = {
  evaporatorKjPerK: 16,
  airKjPerK: 60,
  productKjPerK: 400,
  evaporatorWPerK: 25,
  productWPerK: 20,
  wallWPerK: 2.2,
  openDoorWPerK: 18,
  coolingW: 420,
  heatingW: 0,
  internalW: 0,
  setpointC: -72,
  hysteresisK: 4,
  minimumRestS: 300,
  defrost: null,
};

/** Walk-in store of about 120 m³ with racks of goods. */
export const WALK_IN_STORE: ChamberSpec = {
  evaporatorKjPerK: 60,
  airKjPerK: 900,
  productKjPerK: 12_000,
  evaporatorWPerK: 900,
  productWPerK: 300,
  wallWPerK: 55,
  openDoorWPerK: 700,
  coolingW: 4500,
  heatingW: 0,
  internalW: 350,
  setpointC: 5,
  hysteresisK: 1.6,
  minimumRestS: 240,
  defrost: { everyS: 6 * 3600, heaterW: 3000, endC: 8, longestS: 1200 },
};

/** Room for goods at 15 to 25 °C: cooled in summer, heated in winter. */
export const CONTROLLED_ROOM: ChamberSpec = {
  ...WALK_IN_STORE,
  setpointC: 19.5,
  hysteresisK: 2,
  heatingW: 3500,
  defrost: null,
};

/** Freezer store at −20 °C. */
export const FREEZER_STORE: ChamberSpec = {
  evaporatorKjPerK: 70,
  airKjPerK: 1000,
  productKjPerK: 15_000,
  evaporatorWPerK: 1100,
  productWPerK: 350,
  wallWPerK: 45,
  openDoorWPerK: 420,
  coolingW: 8000,
  heatingW: 0,
  internalW: 300,
  setpointC: -21,
  hysteresisK: 2,
  minimumRestS: 300,
  defrost: { everyS: 6 * 3600, heaterW: 9000, endC: 8, longestS: 1500 },
};

/** Small walk-in room of a blood bank with tight control. */
export const BLOOD_ROOM: ChamberSpec = {
  evaporatorKjPerK: 20,
  airKjPerK: 180,
  productKjPerK: 1500,
  evaporatorWPerK: 250,
  productWPerK: 90,
  wallWPerK: 14,
  openDoorWPerK: 110,
  coolingW: 1200,
  heatingW: 0,
  internalW: 90,
  setpointC: 4,
  hysteresisK: 1.2,
  minimumRestS: 240,
  defrost: { everyS: 8 * 3600, heaterW: 900, endC: 6, longestS: 900 },
};

/** Insulated truck body with a unit that cools and heats, and strip curtains at the door. */
export const TRUCK_BODY: ChamberSpec = {
  evaporatorKjPerK: 25,
  airKjPerK: 130,
  productKjPerK: 2500,
  evaporatorWPerK: 380,
  productWPerK: 260,
  wallWPerK: 18,
  openDoorWPerK: 110,
  coolingW: 3200,
  heatingW: 2500,
  internalW: 120,
  setpointC: 4.7,
  hysteresisK: 2.2,
  minimumRestS: 120,
  defrost: null,
};

export const FROZEN_TRUCK_BODY: ChamberSpec = {
  ...TRUCK_BODY,
  wallWPerK: 16,
  openDoorWPerK: 70,
  coolingW: 4200,
  heatingW: 0,
  setpointC: -20.5,
};

/** 40-foot refrigerated container, plugged in at the yard. */
export const REEFER_CONTAINER: ChamberSpec = {
  ...TRUCK_BODY,
  evaporatorKjPerK: 35,
  airKjPerK: 260,
  productKjPerK: 9000,
  productWPerK: 420,
  wallWPerK: 28,
  openDoorWPerK: 150,
  coolingW: 6500,
  setpointC: 5,
  hysteresisK: 1.4,
};

/** 30-litre vaccine carrier with conditioned ice packs for a day and a half. */
export const VACCINE_CARRIER: IceBoxSpec = {
  airKjPerK: 4,
  payloadKjPerK: 45,
  wallWPerK: 0.55,
  openLidWPerK: 6,
  payloadWPerK: 2.5,
  iceWPerK: 2.2,
  iceKj: 1050,
  iceC: 0.8,
};
