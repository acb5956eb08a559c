/**
 * Data that cached entries depend on. Each topic is the first word of a notification that triggers send from
 * the transaction of the change (migration 0140_cache_invalidation.sql), followed by the keys.
 */
export type CacheTopic =
  /** Keys are device numbers: devices, their channels and payload mappings. */
  | 'device'
  /** Keys are device numbers: attributes that the server sends to devices (intervals, offered firmware). */
  | 'shared-attributes'
  /**
   * Keys are channel ids: alarm rules, and the data that decide whether they apply (binding, interval,
   * status of the asset).
   */
  | 'rules'
  /** Keys are channel ids: calibration certificates. */
  | 'calibration'
  /** Alarm rules must be created again from their policies; this topic has no keys. */
  | 'compilation'
  /** Notification texts of organisations, and the tree of organisations that they are inherited in; without keys. */
  | 'templates'
  /** Geofences and the tree of organisations in which they apply; without keys. */
  | 'fences'
  /** Keys are user names: accounts, their roles, permissions, organisation and sessions. */
  | 'caller';

/** Keys that have changed; null if any key may have changed. */
export type InvalidatedKeys = readonly string[] | null;

export interface Invalidations {
  /** Returns false while notifications may be lost: values read then must not be kept. */
  connected(): boolean;
  onInvalidated(topic: CacheTopic, listener: (keys: InvalidatedKeys) => void): void;
  /**
   * Invalidates in this process immediately, for a caller that must see its own change. Other processes are
   * notified by triggers.
   */
  invalidate(topic: CacheTopic, keys: InvalidatedKeys): void;
}

/** The registry together with its inputs, which the notification bus calls. */
export interface InvalidationRegistry extends Invalidations {
  /** Receives the payload of a notification: the topic and its keys, separated by spaces. */
  receive(payload: string): void;
  /**
   * Must be called when the connection is lost or restored. In both cases every cache is emptied, because
   * notifications may have been lost.
   */
  setConnected(connected: boolean): void;
}

/**
 * Creates the listeners of one process. `connected` is for programs without other processes, such as unit
 * tests.
 */
export function createInvalidations(connected = false): InvalidationRegistry {
  const listeners = new Map<string, ((keys: InvalidatedKeys) => void)[]>();
  const deliver = (topic: string, keys: InvalidatedKeys) => {
    // The topic may be unknown here, since a later release may send topics that this one does not have.
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
