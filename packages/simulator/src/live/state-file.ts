import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { ReadingItem } from '@isotherm/contracts/ingest';
import type { AssetState } from '../fleet/simulation.ts';

/** What a stopped fleet needs to go on: physics, chance and unsent readings of each device. */
export interface FleetMemory {
  seed: number;
  /** The whole history was written and the fleet has run live. */
  live: boolean;
  devices: Record<string, DeviceMemory>;
}

export interface DeviceMemory {
  state: AssetState;
  randomState: number;
  unsent: ReadingItem[];
  /** What it was told, if it was. */
  acquisitionEveryMs?: number;
  uploadEveryMs?: number;
  /** What it runs, once it renewed itself. */
  firmware?: string;
}

/** Null when there is none, or none that can be read: the fleet then begins anew. */
export function readMemory(file: string, seed: number): FleetMemory | null {
  if (!existsSync(file)) return null;
  try {
    const memory = JSON.parse(readFileSync(file, 'utf8')) as FleetMemory;
    return memory.seed === seed ? memory : null;
  } catch {
    return null;
  }
}

/** Whole or not at all: a fleet that is killed in the middle keeps the earlier file. */
export function writeMemory(file: string, memory: FleetMemory): void {
  const fresh = `${file}.${process.pid}`;
  writeFileSync(fresh, JSON.stringify(memory));
  renameSync(fresh, file);
}

/** The secret that device keys derive from; made on first use. */
export function fleetSecret(file: string): string {
  if (!existsSync(file)) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600 });
  }
  const secret = readFileSync(file, 'utf8').trim();
  if (secret.length < 32) throw new Error(`${file} must hold at least 32 characters`);
  return secret;
}
