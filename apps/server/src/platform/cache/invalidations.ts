/**
 * What cached entries depend on. Each topic is the first word of a notification that triggers send from the
 * transaction of the change (migration 0140_cache_invalidation.sql), followed by the keys.
 */
export type CacheTopic =
  /** Device numbers: devices, their channels and payload mappings. */
  | 'device'
  /** Device numbers: what the server has to tell them (intervals, offered firmware). */
  | 'shared-attributes'
  /** Channel ids: rules, and what decides whether they apply (binding, interval, status of the asset). */
  | 'rules'
  /** Channel ids: certificates. */
  | 'calibration'
  /** Rules of policies must be compiled; without keys. */
  | 'compilation'
  /** User names: accounts, their roles, permissions, organisation and sessions. */
  | 'caller';

/** Keys that have changed; null: any key may have. */
export type InvalidatedKeys = readonly string[] | null;

export interface Invalidations {
  /** False while notifications may be lost: values read then must not be kept. */
  connected(): boolean;
  onInvalidated(topic: CacheTopic, listener: (keys: InvalidatedKeys) => void): void;
  /**
   * Invalidates in this process immediately, for a caller that must see its own change. Other processes are
   * notified by triggers.
   */
  invalidate(topic: CacheTopic, keys: InvalidatedKeys): void;
}

/** The registry together with its inputs, which the bus calls. */
export interface InvalidationRegistry extends Invalidations {
  /** Payload of a notification: the topic and its keys, separated by spaces. */
  receive(payload: string): void;
  /** In both cases every cache starts empty: notifications may have been lost. */
  setConnected(connected: boolean): void;
}

/** The listeners of one process. `connected` is for programs without other processes, such as unit tests. */
export function createInvalidations(connected = false): InvalidationRegistry {
  const listeners = new Map<string, ((keys: InvalidatedKeys) => void)[]>();
  const deliver = (topic: string, keys: InvalidatedKeys) => {
    // A later release may send topics that this one does not have.
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
