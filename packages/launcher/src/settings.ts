import { resolve } from 'node:path';

/** A mistake of the operator: `message` is one sentence with the remedy; no stack is shown. */
export class OperatorError extends Error {}

export interface LaunchSettings {
  dataFolder: string;
  host: string;
  port: number;
  mqttPort: number;
  tcpPort: number;
  /** The operator's PostgreSQL; undefined: the embedded one. */
  databaseUrl: string | undefined;
  /** The operator's secret; undefined: one is generated and kept in the data folder. */
  secret: string | undefined;
  /** Seeds the demo and starts its fleet. */
  demo: boolean;
  /** Roles of the server (docs/operating.md). */
  roles: ReadonlySet<string>;
  historyDays: number;
  /** Loopback port for the fleet's scenarios. */
  fleetPort: number;
}

/** @throws {OperatorError} for an invalid value. */
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
