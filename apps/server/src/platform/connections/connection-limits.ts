import { isIPv6 } from 'node:net';

/**
 * Open connections of one listener. Each costs a file descriptor, and the process has a limited number of them for
 * its database, its files and everybody else.
 */
export interface ConnectionLimit {
  /** Null where there is no room for one more from this address: hang up. */
  admit(address: string): Admission | null;
  connections(): number;
}

/** One connection that was let in. */
export interface Admission {
  /** It is known who is at the other end: it no longer counts for its address. */
  prove(): void;
  /** The connection is closed. */
  release(): void;
}

export interface LimitOptions {
  /** Connections at the same time. */
  most: number;
  /** Addresses behind which many callers stand, such as a trusted proxy; default: none. */
  isShared?: (address: string) => boolean;
}

/** Of all connections, those that may be strangers', and those that may be strangers' of one address. */
const STRANGERS_SHARE = 1 / 2;
const ADDRESS_SHARE = 1 / 16;
const LEAST_PER_ADDRESS = 64;

/**
 * Limits the connections of who has not said who they are, all together and by address: an address that opens thousands and
 * says nothing keeps nobody else out. Authenticated devices and people count for the whole only, since a hospital's stand behind one address.
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

/** One customer of an IPv6 network has a network of 2^64 addresses: they count as one. */
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

/** Descriptors for the database, files, cameras and what the system itself needs. */
const RESERVED_FILES = 512;
const LEAST_CONNECTIONS = 256;
/** Where the system does not say. */
const USUAL_OPEN_FILES = 10_240;

/** Connections that all listeners of this process may have together, by the number of files that it may open. */
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
