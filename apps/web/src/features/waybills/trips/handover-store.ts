import type { HandoverInput, Trip } from '@isotherm/contracts/waybill-trips';

/** A hand-over in this browser: confirmed, and sent or not. */
export interface SavedHandover {
  /** The key with which the server recognises it. */
  key: string;
  /** Account that confirmed it, and that sends it. */
  username: string;
  waybillId: number;
  number: string;
  /** By the clock of this device, epoch ms. */
  signedAt: number;
  input: Omit<HandoverInput, 'ageMs'>;
  /** JPEG pictures. Buffers, because some browsers lose stored blobs. */
  photos: readonly ArrayBuffer[];
  state: 'waiting' | 'sent' | 'refused';
  /** Why the server refused it, or why the last attempt failed; '' otherwise. */
  failure: string;
  /** Epoch ms; null until it was sent. */
  sentAt: number | null;
}

/** A trip as it was last read, for a phone without a connection. */
export interface SavedTrip {
  id: number;
  username: string;
  trip: Trip;
  /** Epoch ms. */
  savedAt: number;
}

/** Storage of this browser for hand-overs that wait to be sent. */
export interface HandoverStore {
  list(): Promise<SavedHandover[]>;
  put(handover: SavedHandover): Promise<void>;
  remove(key: string): Promise<void>;
  readTrip(id: number): Promise<SavedTrip | null>;
  /** Keeps a copy of a trip, and drops those of other accounts. */
  putTrip(trip: SavedTrip): Promise<void>;
}

const NAME = 'isotherm-handovers';
const HANDOVERS = 'handover';
const TRIPS = 'trip';

/** Opens the storage in IndexedDB; rejects if the browser does not allow it. */
export function indexedStore(): HandoverStore {
  let opened: Promise<IDBDatabase> | null = null;
  const open = () => {
    opened ??= openDatabase().catch((error: unknown) => {
      opened = null;
      throw error;
    });
    return opened;
  };
  /** Runs a step in a transaction; resolves when it is stored. */
  async function inStore<T>(
    name: string,
    mode: IDBTransactionMode,
    step: (store: IDBObjectStore) => IDBRequest<T>,
  ): Promise<T> {
    const transaction = (await open()).transaction(name, mode);
    const request = step(transaction.objectStore(name));
    await new Promise<void>((done, fail) => {
      transaction.oncomplete = () => done();
      transaction.onerror = () => fail(transaction.error);
      transaction.onabort = () => fail(transaction.error);
    });
    return request.result;
  }
  return {
    list: () => inStore<SavedHandover[]>(HANDOVERS, 'readonly', (store) => store.getAll()),
    async put(handover) {
      await inStore(HANDOVERS, 'readwrite', (store) => store.put(handover));
    },
    async remove(key) {
      await inStore(HANDOVERS, 'readwrite', (store) => store.delete(key));
    },
    async readTrip(id) {
      return (await inStore<SavedTrip | undefined>(TRIPS, 'readonly', (store) => store.get(id))) ?? null;
    },
    async putTrip(trip) {
      const known = await inStore<SavedTrip[]>(TRIPS, 'readonly', (store) => store.getAll());
      for (const { id, username } of known)
        if (username !== trip.username) await inStore(TRIPS, 'readwrite', (store) => store.delete(id));
      await inStore(TRIPS, 'readwrite', (store) => store.put(trip));
    },
  };
}

function openDatabase(): Promise<IDBDatabase> {
  return new Promise((done, fail) => {
    const request = indexedDB.open(NAME, 1);
    request.onupgradeneeded = () => {
      request.result.createObjectStore(HANDOVERS, { keyPath: 'key' });
      request.result.createObjectStore(TRIPS, { keyPath: 'id' });
    };
    request.onsuccess = () => done(request.result);
    request.onerror = () => fail(request.error);
  });
}
