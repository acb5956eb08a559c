/**
 * What cached entries are derived from. Each topic is a prefix of a notification that triggers send from the
 * transaction of the change (migration 0140_cache_invalidation.sql); the keys are named behind it.
 */
export type CacheTopic =
  /** Device numbers: a device, its channels, or what its payloads mean. */
  | 'device'
  /** Channel ids: rules, and what decides whether they apply (binding, interval, status of the asset). */
  | 'rules'
  /** Channel ids: certificates. */
  | 'calibration'
  /** Rules of policies are to be compiled; without keys. */
  | 'compilation'
  /** User names: accounts, their roles, permissions, organisation and sessions. */
  | 'caller';

/** Keys that have changed; null: any may have. */
export type InvalidatedKeys = readonly string[] | null;

export interface Invalidations {
  /** False while notifications may be lost: what is read then must not be kept. */
  connected(): boolean;
  onInvalidated(topic: CacheTopic, listener: (keys: InvalidatedKeys) => void): void;
  /** Invalidates in this process at once, for a caller that must see its own change. Others are notified by triggers. */
  invalidate(topic: CacheTopic, keys: InvalidatedKeys): void;
}

/** What the bus needs beside it. */
export interface InvalidationRegistry extends Invalidations {
  /** The payload of a notification: the topic, and keys behind it, separated by spaces. */
  receive(payload: string): void;
  /** Notifications were lost, or were not: every cache starts empty in both cases. */
  setConnected(connected: boolean): void;
}

/** The listeners of one process. `connected` is for programs without other processes, such as unit tests. */
export function createInvalidations(connected = false): InvalidationRegistry {
  const listeners = new Map<string, ((keys: InvalidatedKeys) => void)[]>();
  const deliver = (topic: string, keys: InvalidatedKeys) => {
    // A later release may notify topics that this one does not have.
    for (const listener of listeners.get(topic) ?? []) listener(keys);
  };
  return {
    connected: () => connected,
    onInvalidated(topic, listener) {
      const known = listeners.get(topic);
      if (known) known.push(listener);
      else listeners.set(topic, [listener]);
    },
    invalidate: deliver,
    receive(payload) {
      const [topic = '', ...keys] = payload.split(' ');
      deliver(topic, keys.length > 0 ? keys : null);
    },
    setConnected(next) {
      connected = next;
      for (const topic of listeners.keys()) deliver(topic, null);
    },
  };
}
