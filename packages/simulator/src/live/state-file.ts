import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { ReadingItem } from '@isotherm/contracts/ingest';
import type { AssetState } from '../fleet/simulation.ts';

/** State of a stopped fleet: simulation, random generator and unsent readings of each device. */
export interface FleetMemory {
  seed: number;
  /** True if the history is complete and the fleet has run live. */
  live: boolean;
  devices: Record<string, DeviceMemory>;
}

export interface DeviceMemory {
  state: AssetState;
  randomState: number;
  unsent: ReadingItem[];
  /** Acquisition interval that a command has set. */
  acquisitionEveryMs?: number;
  uploadEveryMs?: number;
  /** Firmware version after an update. */
  firmware?: string;
}

/** Reads the state file; null if there is no readable one. Then the fleet starts from the beginning. */
export function readMemory(file: string, seed: number): FleetMemory | null {
  if (!existsSync(file)) return null;
  try {
    const memory = JSON.parse(readFileSync(file, 'utf8')) as FleetMemory;
    return memory.seed === seed ? memory : null;
  } catch {
    return null;
  }
}

/** Writes the state file atomically: if the process is killed during the write, the previous file remains. */
export function writeMemory(file: string, memory: FleetMemory): void {
  const fresh = `${file}.${process.pid}`;
  writeFileSync(fresh, JSON.stringify(memory));
  renameSync(fresh, file);
}

/** Returns the secret from which device keys are derived. It is created at the first call. */
export function fleetSecret(file: string): string {
  if (!existsSync(file)) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600 });
  }
  const secret = readFileSync(file, 'utf8').trim();
  if (secret.length < 32) throw new Error(`${file} must hold at least 32 characters`);
  return secret;
}
