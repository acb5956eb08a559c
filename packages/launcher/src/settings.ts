import { resolve } from 'node:path';

/**
 * An error that the operator can correct. `message` is one sentence that says how; no stack trace is shown.
 */
export class OperatorError extends Error {}

export interface LaunchSettings {
  dataFolder: string;
  host: string;
  port: number;
  mqttPort: number;
  tcpPort: number;
  /** Address of the operator's own PostgreSQL; undefined for the embedded one. */
  databaseUrl: string | undefined;
  /** The operator's secret; if undefined, one is generated and kept in the data folder. */
  secret: string | undefined;
  /** True to create the demo data and start the simulated fleet. */
  demo: boolean;
  /** Roles of the server (docs/operating.md). */
  roles: ReadonlySet<string>;
  historyDays: number;
  /** Port on the loopback address for the scenarios of the fleet. */
  fleetPort: number;
}

/**
 * Reads the settings from the environment variables.
 * @throws {OperatorError} for an invalid value.
 */
export function readSettings(environment: NodeJS.ProcessEnv): LaunchSettings {
  return {
    dataFolder: resolve(environment.ISOTHERM_DATA || '.isotherm'),
    host: environment.HOST || '127.0.0.1',
    port: wholeNumber(environment, 'PORT', 8080, 65_535),
    mqttPort: wholeNumber(environment, 'MQTT_PORT', 1883, 65_535),
    tcpPort: wholeNumber(environment, 'ISOTHERM_TCP_PORT', 6018, 65_535),
    databaseUrl: environment.DATABASE_URL || undefined,
    secret: environment.ISOTHERM_SECRET || undefined,
    demo: environment.ISOTHERM_DEMO !== '0',
    roles: new Set((environment.ISOTHERM_ROLE || 'web,ingest,worker').split(',').map((role) => role.trim())),
    historyDays: wholeNumber(environment, 'ISOTHERM_HISTORY_DAYS', 30, 366),
    fleetPort: wholeNumber(environment, 'FLEET_PORT', 8090, 65_535),
  };
}

function wholeNumber(
  environment: NodeJS.ProcessEnv,
  name: string,
  fallback: number,
  highest: number,
): number {
  const text = environment[name] || String(fallback);
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0 || value > highest)
    throw new OperatorError(`${name} is "${text}", but must be a whole number from 0 to ${highest}.`);
  return value;
}
