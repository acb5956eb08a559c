import { isRecord } from './hardware-message.ts';

/** Keys that a device asks for; `all` if it names none. */
export type AskedKeys = ReadonlySet<string> | 'all';

export interface AttributeRequest {
  /** Attributes that the device published itself. */
  client: AskedKeys;
  /** Attributes that the server has for the device. */
  shared: AskedKeys;
}

const NONE: ReadonlySet<string> = new Set();

/**
 * `{"clientKeys": "a,b", "sharedKeys": "c"}`; a request without both asks for everything. Null if it is not
 * an object.
 */
export function readAttributeRequest(payload: unknown): AttributeRequest | null {
  if (!isRecord(payload)) return null;
  const { clientKeys, sharedKeys } = payload;
  if (clientKeys === undefined && sharedKeys === undefined) return { client: 'all', shared: 'all' };
  return { client: keysOf(clientKeys), shared: keysOf(sharedKeys) };
}

/** Names separated by commas, or an array of them. */
function keysOf(keys: unknown): ReadonlySet<string> {
  const names: unknown[] = typeof keys === 'string' ? keys.split(',') : Array.isArray(keys) ? keys : [];
  return new Set(names.flatMap((name) => (typeof name === 'string' && name.trim() ? [name.trim()] : [])));
}

/** A gateway's request for attributes of a device behind it. */
export interface GatewayAttributeRequest {
  id: number;
  /** The gateway's name for the device. */
  device: string;
  asked: AttributeRequest;
  /** It asks for one `key`: the answer has one `value` instead of `values`. */
  isSingle: boolean;
}

/**
 * `{"id": 1, "device": "A", "client": ["a"], "shared": ["b"]}`, or the older form with `"client": true` for
 * client attributes, otherwise shared ones, and `key` or `keys`. Null if it is neither.
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

/** The device in `{"device": "A"}` of a gateway, null without one. */
export function readGatewayDevice(payload: unknown): string | null {
  return isRecord(payload) && typeof payload.device === 'string' ? payload.device : null;
}

/** A gateway's answer to a command for a device behind it: `{"device": "A", "id": 1, "data": {…}}`. */
export function readGatewayRpcAnswer(
  payload: unknown,
): { device: string; id: unknown; data: unknown } | null {
  const device = readGatewayDevice(payload);
  if (device === null) return null;
  const { id, data } = payload as Record<string, unknown>;
  return { device, id, data };
}

/** The method of a device's call to the server: `{"method": "getCurrentTime", "params": {}}`. */
export function readRpcMethod(payload: unknown): string | null {
  return isRecord(payload) && typeof payload.method === 'string' ? payload.method : null;
}
