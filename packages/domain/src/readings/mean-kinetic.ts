import { DAY_MS } from './sealed-day.ts';

/** Activation energy for products of which it is not known, kJ/mol (USP <1079.2>). */
export const DEFAULT_ACTIVATION_KJ = 83.144;
/** Gas constant, J/(mol K). */
const GAS_J = 8.314_472;
const ZERO_CELSIUS_K = 273.15;

/** Windows of the mean kinetic temperature, in days (USP <1079.2>): controlled cold, and controlled room temperature. */
const COLD_WINDOW_DAYS = 1;
const ROOM_WINDOW_DAYS = 30;
/**
 * Upper limit of a cool place (USP <659>), °C. What may be warmer is stored at room temperature; a cool place has the shorter window
 * of controlled cold, which is the stricter one.
 */
const COOL_UP_TO_C = 15;

/** Returns the days of a window of the mean kinetic temperature for an upper limit in °C; null: there is none. */
export const mktWindowDays = (high: number | null): number =>
  high !== null && high <= COOL_UP_TO_C ? COLD_WINDOW_DAYS : ROOM_WINDOW_DAYS;

/** The same in ms. */
export const mktWindowMs = (high: number | null): number => mktWindowDays(high) * DAY_MS;

/** Activation energy divided by the gas constant, in K. */
const kelvinOf = (activationKj: number): number => (activationKj * 1_000) / GAS_J;

/**
 * Returns the relative speed of degradation at a temperature in °C, which is averaged over time. It is 0 at absolute zero
 * and for impossible values below it, which faulty sensors send.
 */
export function kineticRate(celsius: number, activationKj: number = DEFAULT_ACTIVATION_KJ): number {
  return celsius > -ZERO_CELSIUS_K ? Math.exp(-kelvinOf(activationKj) / (celsius + ZERO_CELSIUS_K)) : 0;
}

/** Returns the temperature in °C at which degradation has this speed: that of a mean rate is the MKT. */
export function temperatureOfRate(rate: number, activationKj: number = DEFAULT_ACTIVATION_KJ): number {
  return kelvinOf(activationKj) / -Math.log(rate) - ZERO_CELSIUS_K;
}
