/**
 * A refrigerated room, cabinet or load space. The model has three lumped masses (evaporator, air with liner
 * and shelves, product) that are connected by conductances, a compressor with hysteresis and a minimum rest
 * time, and an electric defrost. Temperatures are in °C, power in W, capacities in kJ/K, conductances in
 * W/K.
 */
export interface ChamberSpec {
  evaporatorKjPerK: number;
  airKjPerK: number;
  productKjPerK: number;
  /** Conductance of the evaporator while fan and compressor are running. */
  evaporatorWPerK: number;
  productWPerK: number;
  wallWPerK: number;
  /** Air exchange through the open door, as a conductance to the surroundings. */
  openDoorWPerK: number;
  coolingW: number;
  /** Electric heating of rooms in winter; 0 if there is none. */
  heatingW: number;
  /** Heat from fans, lamps and people. */
  internalW: number;
  setpointC: number;
  /**
   * The compressor starts when the temperature is above the setpoint plus half of this value, and stops when
   * it is below the setpoint minus half of it.
   */
  hysteresisK: number;
  /** Minimum rest time of the compressor before a restart, so that pressures equalise. */
  minimumRestS: number;
  defrost: DefrostSpec | null;
}

export interface DefrostSpec {
  everyS: number;
  heaterW: number;
  /** Coil temperature at which the defrost heater stops; at the latest it stops after `longestS`. */
  endC: number;
  longestS: number;
}

export interface ChamberState {
  evaporatorC: number;
  airC: number;
  productC: number;
  compressorOn: boolean;
  restedS: number;
  /** Seconds since the current defrost started; 0 without one. */
  defrostS: number;
  sinceDefrostS: number;
}

export interface ChamberInput {
  ambientC: number;
  /** Opening of the door: 0 is closed, 1 is wide open. */
  doorOpening: number;
  mains: boolean;
}

/**
 * Factor of the heat exchange without cooling: the fans stand still, so the coil exchanges heat by free
 * convection only.
 */
const STILL_AIR = 0.18;

export function restingChamber(spec: ChamberSpec): ChamberState {
  return {
    evaporatorC: spec.setpointC - 3,
    airC: spec.setpointC,
    productC: spec.setpointC,
    compressorOn: false,
    restedS: spec.minimumRestS,
    defrostS: 0,
    sinceDefrostS: 0,
  };
}

/**
 * Simulates one step of about 20 s at most. Each mass is computed by backward Euler against the others,
 * which never overshoots.
 */
export function stepChamber(
  spec: ChamberSpec,
  state: ChamberState,
  input: ChamberInput,
  dtS: number,
): ChamberState {
  let { compressorOn, restedS, defrostS, sinceDefrostS } = state;
  const defrost = spec.defrost;
  if (!input.mains) {
    compressorOn = false;
    defrostS = 0;
  } else if (defrost && defrostS > 0) {
    defrostS += dtS;
    if (state.evaporatorC >= defrost.endC || defrostS >= defrost.longestS) {
      defrostS = 0;
      sinceDefrostS = 0;
    }
  } else if (defrost && sinceDefrostS >= defrost.everyS) {
    defrostS = dtS;
    compressorOn = false;
  } else if (compressorOn) {
    if (state.airC <= spec.setpointC - spec.hysteresisK / 2) compressorOn = false;
  } else if (state.airC >= spec.setpointC + spec.hysteresisK / 2 && restedS >= spec.minimumRestS) {
    compressorOn = true;
  }
  if (defrostS > 0) compressorOn = false;
  restedS = compressorOn ? 0 : restedS + dtS;
  if (defrostS === 0) sinceDefrostS += dtS;

  // A warmer suction gas is denser, so the capacity increases with the air temperature, within the motor's
  // limit.
  const capacity = Math.min(1.3, Math.max(0.55, 1 + 0.015 * (state.airC - spec.setpointC)));
  const coilW =
    (compressorOn ? -spec.coolingW * capacity : 0) + (defrost && defrostS > 0 ? defrost.heaterW : 0);
  const coil = compressorOn ? spec.evaporatorWPerK : spec.evaporatorWPerK * STILL_AIR;
  const outside = spec.wallWPerK + spec.openDoorWPerK * input.doorOpening;
  const heating = input.mains && state.airC < spec.setpointC - spec.hysteresisK ? spec.heatingW : 0;
  const internal = input.mains ? spec.internalW : 0;

  const kilo = dtS / 1000;
  const evaporatorC =
    (state.evaporatorC + (kilo / spec.evaporatorKjPerK) * (coilW + coil * state.airC)) /
    (1 + (kilo / spec.evaporatorKjPerK) * coil);
  const airC =
    (state.airC +
      (kilo / spec.airKjPerK) *
        (coil * evaporatorC +
          spec.productWPerK * state.productC +
          outside * input.ambientC +
          internal +
          heating)) /
    (1 + (kilo / spec.airKjPerK) * (coil + spec.productWPerK + outside));
  const productC =
    (state.productC + (kilo / spec.productKjPerK) * spec.productWPerK * airC) /
    (1 + (kilo / spec.productKjPerK) * spec.productWPerK);
  return { evaporatorC, airC, productC, compressorOn, restedS, defrostS, sinceDefrostS };
}
