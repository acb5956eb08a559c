import { isRecord } from './hardware-message.ts';

/** Keys that a device requests; `all` if it names none. */
export type AskedKeys = ReadonlySet<string> | 'all';

export interface AttributeRequest {
  /** Requested attributes that the device published itself. */
  client: AskedKeys;
  /** Requested attributes that the server has for the device. */
  shared: AskedKeys;
}

const NONE: ReadonlySet<string> = new Set();

/**
 * Reads a request such as `{"clientKeys": "a,b", "sharedKeys": "c"}`. A request without both keys requests
 * all attributes. Null if the payload is not an object.
 */
export function readAttributeRequest(payload: unknown): AttributeRequest | null {
  if (!isRecord(payload)) return null;
  const { clientKeys, sharedKeys } = payload;
  if (clientKeys === undefined && sharedKeys === undefined) return { client: 'all', shared: 'all' };
  return { client: keysOf(clientKeys), shared: keysOf(sharedKeys) };
}

/** Returns the names in a text separated by commas, or in an array. */
function keysOf(keys: unknown): ReadonlySet<string> {
  const names: unknown[] = typeof keys === 'string' ? keys.split(',') : Array.isArray(keys) ? keys : [];
  return new Set(names.flatMap((name) => (typeof name === 'string' && name.trim() ? [name.trim()] : [])));
}

/** A gateway's request for attributes of a device behind it. */
export interface GatewayAttributeRequest {
  id: number;
  /** Name by which the gateway identifies the device. */
  device: string;
  asked: AttributeRequest;
  /** True if the gateway requests one `key`. The response then contains one `value` instead of `values`. */
  isSingle: boolean;
}

/**
 * Reads a request such as `{"id": 1, "device": "A", "client": ["a"], "shared": ["b"]}`, or the older format,
 * where `"client": true` means client attributes, otherwise shared ones, and `key` or `keys` names them.
 * Null if it is neither.
 */
export function readGatewayAttributeRequest(payload: unknown): GatewayAttributeRequest | null {
  if (!isRecord(payload)) return null;
  const { id, device, client, shared, key, keys } = payload;
  if (typeof id !== 'number' || !Number.isSafeInteger(id) || typeof device !== 'string') return null;
  if (Array.isArray(client) || Array.isArray(shared)) {
    return { id, device, asked: { client: keysOf(client), shared: keysOf(shared) }, isSingle: false };
  }
  const named = keysOf(key ?? keys);
  const asked = client === true ? { client: named, shared: NONE } : { client: NONE, shared: named };
  return { id, device, asked, isSingle: typeof key === 'string' };
}

/** Returns the device in a gateway's `{"device": "A"}`; null if there is none. */
export function readGatewayDevice(payload: unknown): string | null {
  return isRecord(payload) && typeof payload.device === 'string' ? payload.device : null;
}

/** Reads a gateway's answer to a command for a device behind it: `{"device": "A", "id": 1, "data": {…}}`. */
export function readGatewayRpcAnswer(
  payload: unknown,
): { device: string; id: unknown; data: unknown } | null {
  const device = readGatewayDevice(payload);
  if (device === null) return null;
  const { id, data } = payload as Record<string, unknown>;
  return { device, id, data };
}

/** Returns the method that a device calls on the server: `{"method": "getCurrentTime", "params": {}}`. */
export function readRpcMethod(payload: unknown): string | null {
  return isRecord(payload) && typeof payload.method === 'string' ? payload.method : null;
}
