/**
 * Activation energy divided by the gas constant, in K. 83.144 kJ/mol is the default of USP <1079.2> if the
 * value of a product is unknown.
 */
const ACTIVATION_K = 83_144 / 8.314_472;
const ZERO_CELSIUS_K = 273.15;

/**
 * Returns the relative speed of degradation at a temperature in °C, which is averaged over time. It is 0 at absolute zero
 * and for impossible values below it, which faulty sensors send.
 */
export function kineticRate(celsius: number): number {
  return celsius > -ZERO_CELSIUS_K ? Math.exp(-ACTIVATION_K / (celsius + ZERO_CELSIUS_K)) : 0;
}

/** Returns the temperature in °C at which degradation has this speed: that of a mean rate is the MKT. */
export function temperatureOfRate(rate: number): number {
  return ACTIVATION_K / -Math.log(rate) - ZERO_CELSIUS_K;
}
