import type { DeviceDirectory, Downlink, KnownDevice } from '../features/devices/index.ts';
import type { DeviceWatch } from './device-watch.ts';
import type { SharedAttributes } from './shared-attributes.ts';
import { rpcOf } from './thingsboard-rpc.ts';

/** Maximum number of devices that one gateway may announce. */
const MOST_DEVICES = 2_000;

/** The topics to which a gateway has subscribed for the devices behind it. */
export type BehindFeed = 'rpc' | 'attributes';

/** The devices that a connected gateway of the ThingsBoard gateway API has announced. */
export interface DevicesBehind {
  /** Announces a device; returns false if no such device is behind the gateway. */
  connect(name: string): Promise<boolean>;
  disconnect(name: string): void;
  /** Delivers commands or changed attributes from now on. Call the returned function to stop. */
  deliver(feed: BehindFeed): () => void;
  end(): void;
}

interface Behind {
  device: KnownDevice;
  unwatch(): void;
  feeds: Map<BehindFeed, () => void>;
}

export function createDevicesBehind(
  parts: {
    directory: Pick<DeviceDirectory, 'findByName'>;
    downlink: Downlink;
    shared: SharedAttributes;
    /** Watch for changes of devices. */
    devices: DeviceWatch;
  },
  gateway: KnownDevice,
  send: (feed: BehindFeed, message: { device: string; data: object }) => void,
): DevicesBehind {
  const { directory, downlink, shared, devices } = parts;
  const known = new Map<string, Behind>();
  const subscribed = new Set<BehindFeed>();
  let isEnded = false;

  function open(name: string, { device, feeds }: Behind, feed: BehindFeed): void {
    // The gateway is authenticated, not the device, so there is no credential to compare.
    const listener = { ...device, credentialHash: null };
    const close =
      feed === 'rpc'
        ? downlink.open(
            listener,
            (command) => send(feed, { device: name, data: { id: command.id, ...rpcOf(command) } }),
            ({ kind }) => kind !== 'firmware',
          )
        : shared.follow(listener, (changes) => send(feed, { device: name, data: changes }));
    feeds.set(feed, close);
  }

  function disconnect(name: string): void {
    const behind = known.get(name);
    if (!behind) return;
    known.delete(name);
    behind.unwatch();
    for (const close of behind.feeds.values()) close();
  }

  return {
    async connect(name) {
      const device = await directory.findByName(gateway.id, name);
      if (!device) return false;
      if (isEnded || known.has(name)) return true;
      if (known.size >= MOST_DEVICES) return false;
      const behind: Behind = {
        device,
        feeds: new Map(),
        unwatch: devices.watch(device.number, async () => {
          const still = await directory.findByName(gateway.id, name).catch(() => device);
          if (still?.id !== device.id) disconnect(name);
        }),
      };
      known.set(name, behind);
      for (const feed of subscribed) open(name, behind, feed);
      return true;
    },
    disconnect,
    deliver(feed) {
      subscribed.add(feed);
      for (const [name, behind] of known) open(name, behind, feed);
      return () => {
        subscribed.delete(feed);
        for (const { feeds } of known.values()) {
          feeds.get(feed)?.();
          feeds.delete(feed);
        }
      };
    },
    end() {
      isEnded = true;
      for (const name of [...known.keys()]) disconnect(name);
    },
  };
}
