import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { ReadingItem } from '@isotherm/contracts/ingest';
import type { AssetState } from '../fleet/simulation.ts';

/** State of a stopped fleet: physics, random generator and unsent readings of each device. */
export interface FleetMemory {
  seed: number;
  /** The history is complete and the fleet has run live. */
  live: boolean;
  devices: Record<string, DeviceMemory>;
}

export interface DeviceMemory {
  state: AssetState;
  randomState: number;
  unsent: ReadingItem[];
  /** Interval set by a command. */
  acquisitionEveryMs?: number;
  uploadEveryMs?: number;
  /** Version after an update. */
  firmware?: string;
}

/** Null if there is no readable file: the fleet then starts from the beginning. */
export function readMemory(file: string, seed: number): FleetMemory | null {
  if (!existsSync(file)) return null;
  try {
    const memory = JSON.parse(readFileSync(file, 'utf8')) as FleetMemory;
    return memory.seed === seed ? memory : null;
  } catch {
    return null;
  }
}

/** Atomic: a fleet killed during the write keeps the previous file. */
export function writeMemory(file: string, memory: FleetMemory): void {
  const fresh = `${file}.${process.pid}`;
  writeFileSync(fresh, JSON.stringify(memory));
  renameSync(fresh, file);
}

/** The secret that device keys derive from; created at the first use. */
export function fleetSecret(file: string): string {
  if (!existsSync(file)) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600 });
  }
  const secret = readFileSync(file, 'utf8').trim();
  if (secret.length < 32) throw new Error(`${file} must hold at least 32 characters`);
  return secret;
}
