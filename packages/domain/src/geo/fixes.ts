import { PER_DEGREE, PER_KMH, type TrackColumns } from './sealed-track.ts';
import type { Fix } from './track.ts';

/** Positions in order of time. An array is one of them. */
export interface Fixes extends Iterable<Fix> {
  readonly length: number;
  at(index: number): Fix | undefined;
}

type Columns = Pick<TrackColumns, 'at' | 'latitude' | 'longitude' | 'speed'>;

/**
 * Positions as they are stored. Each becomes an object only while it is looked at: tens of thousands of objects at once take
 * longer to collect as garbage than all of the work with them.
 */
export class StoredFixes implements Fixes {
  private readonly columns: Columns;

  constructor(columns: Columns) {
    this.columns = columns;
  }

  get length(): number {
    return this.columns.at.length;
  }

  at(index: number): Fix | undefined {
    if (index < 0 || index >= this.length) return undefined;
    const { at, latitude, longitude, speed } = this.columns;
    const stored = speed[index] as number;
    return {
      at: at[index] as number,
      latitude: (latitude[index] as number) / PER_DEGREE,
      longitude: (longitude[index] as number) / PER_DEGREE,
      speedKmh: stored < 0 ? null : stored / PER_KMH,
    };
  }

  *[Symbol.iterator](): Iterator<Fix> {
    for (let index = 0; index < this.length; index++) yield this.at(index) as Fix;
  }
}
