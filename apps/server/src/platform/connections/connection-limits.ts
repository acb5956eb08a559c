import { isIPv6 } from 'node:net';

/**
 * Limits the open connections of one listener. Each uses a file descriptor, of which the process has a
 * limited number for its database, files and all listeners.
 */
export interface ConnectionLimit {
  /** Admits a connection; returns null if the limit is reached and the connection must be closed. */
  admit(address: string): Admission | null;
  connections(): number;
}

/** One admitted connection. */
export interface Admission {
  /** Marks the peer as authenticated: the connection no longer counts for its address. */
  prove(): void;
  /** Must be called when the connection was closed. */
  release(): void;
}

export interface LimitOptions {
  /** Maximum number of connections. */
  most: number;
  /** Returns whether an address has many callers behind it, such as a trusted proxy; by default none has. */
  isShared?: (address: string) => boolean;
}

/** Limits of unauthenticated connections in total and for one address, as shares of all connections. */
const STRANGERS_SHARE = 1 / 2;
const ADDRESS_SHARE = 1 / 16;
const LEAST_PER_ADDRESS = 64;

/**
 * Creates a limit for unauthenticated connections in total and per address, so that an address with
 * thousands of silent connections excludes nobody else. Authenticated devices and users count only for the
 * total, because those of a hospital share one address.
 */
export function createConnectionLimit({ most, isShared = () => false }: LimitOptions): ConnectionLimit {
  const mostStrangers = Math.ceil(most * STRANGERS_SHARE);
  const mostPerSource = Math.max(LEAST_PER_ADDRESS, Math.floor(most * ADDRESS_SHARE));
  const strangersOf = new Map<string, number>();
  let connections = 0;
  let strangers = 0;

  return {
    connections: () => connections,
    admit(address) {
      const source = sourceOf(address);
      const ofSource = strangersOf.get(source) ?? 0;
      if (connections >= most || strangers >= mostStrangers) return null;
      if (ofSource >= mostPerSource && !isShared(address)) return null;
      connections++;
      strangers++;
      strangersOf.set(source, ofSource + 1);
      let isStranger = true;
      let isOpen = true;

      function prove(): void {
        if (!isStranger) return;
        isStranger = false;
        strangers--;
        const left = (strangersOf.get(source) as number) - 1;
        if (left === 0) strangersOf.delete(source);
        else strangersOf.set(source, left);
      }
      return {
        prove,
        release() {
          if (!isOpen) return;
          isOpen = false;
          connections--;
          prove();
        },
      };
    },
  };
}

/**
 * Returns the source to count for an address. A customer of an IPv6 network owns 2^64 addresses, which count
 * as one.
 */
export function sourceOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped) return mapped[1] as string;
  if (!isIPv6(address)) return address;
  const [head = '', tail] = (address.split('%')[0] as string).split('::');
  const front = head === '' ? [] : head.split(':');
  const back = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - front.length - back.length }, () => '0');
  const groups = [...front, ...zeros, ...back]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16));
  return `${groups.join(':')}::/64`;
}

/** File descriptors reserved for the database, files, cameras and the system. */
const RESERVED_FILES = 512;
const LEAST_CONNECTIONS = 256;
/** Assumed number of open files if the system reports no limit. */
const USUAL_OPEN_FILES = 10_240;

/**
 * Returns the maximum number of connections of all listeners together, from the number of files that the
 * process may open.
 */
export function mostConnections(openFiles = openFilesOf()): number {
  return Math.max(LEAST_CONNECTIONS, openFiles - RESERVED_FILES);
}

function openFilesOf(): number {
  const report = process.report?.getReport() as
    | { userLimits?: { open_files?: { soft?: unknown } } }
    | undefined;
  const soft = Number(report?.userLimits?.open_files?.soft);
  return Number.isFinite(soft) && soft > 0 ? soft : USUAL_OPEN_FILES;
}
