import { attributeChanges, type ClientAttributes } from '@isotherm/domain/devices/client-attributes';
import {
  attributeTexts,
  type DeviceAttributes,
  type Downlink,
  firmwareAttributes,
  isFirmwareAttribute,
  type KnownDevice,
} from '../features/devices/index.ts';
import type { Invalidations } from '../platform/cache/invalidations.ts';
import { createGate } from '../platform/gate.ts';
import type { Logger } from '../platform/log.ts';
import { createDeviceWatch } from './device-watch.ts';

/**
 * Number of devices whose attributes are read at the same time, so that the database has capacity for
 * others.
 */
const AT_ONCE = 4;
/** A limit that is never reached, because it exceeds the number of connections. */
const MOST_WAITING = 1_000_000;

/** A device that is notified of its shared attributes; see `Listener` of the downlink. */
type Follower = Pick<KnownDevice, 'id' | 'number'> & { credentialHash: Buffer | null };

/** Notifies connected devices of changes of their shared attributes (ThingsBoard device API). */
export interface SharedAttributes {
  /**
   * Calls `push` with the changed values, and the names of deleted ones under `deleted`, from now on. A waiting
   * offer of a firmware is pushed at once. Call the returned function when the connection ends.
   */
  follow(device: Follower, push: (changes: Readonly<Record<string, unknown>>) => void): () => void;
}

export function createSharedAttributes(parts: {
  attributes: Pick<DeviceAttributes, 'shared'>;
  downlink: Downlink;
  invalidations: Invalidations;
  log: Logger;
}): SharedAttributes {
  const { attributes, downlink, log } = parts;
  const watch = createDeviceWatch(parts.invalidations, 'shared-attributes');
  const gate = createGate(
    { atOnce: AT_ONCE, waiting: MOST_WAITING },
    () => new Error('too many connections'),
  );
  const warn = (error: Error) => log.warn({ error: error.message }, 'attributes wait for the database');

  return {
    follow(device, push) {
      let told: ClientAttributes | null = null;
      let isEnded = false;
      let turn = Promise.resolve();

      async function look(): Promise<void> {
        // The gate may skip the read, so that a device that connects and disconnects in a loop costs no
        // query.
        const now = await gate.pass(
          async () => (isEnded ? null : attributes.shared(device.id)),
          device.number,
        );
        if (!now) return;
        const before = told;
        told = now;
        const changes = before && attributeChanges(before, exceptOffers(before, now));
        if (changes && !isEnded) push(changes);
      }
      const inTurn = (work: () => Promise<void> | void) => {
        turn = turn.then(work).catch(warn);
        return turn;
      };
      const unwatch = watch.watch(device.number, () => inTurn(look));
      void inTurn(look);
      // A firmware is offered as a command, because commands expire and are repeated, while devices do not
      // reply to attributes.
      const hangUp = downlink.open(
        device,
        ({ id, order }) => {
          if (order.kind !== 'firmware') return;
          const offer = firmwareAttributes(order);
          push(offer);
          void inTurn(() => {
            told = new Map([...(told ?? []), ...attributeTexts(offer)]);
          });
          void downlink.answered(device.id, { id, state: 'success', reason: 0 }).catch(warn);
        },
        ({ kind }) => kind === 'firmware',
      );
      return () => {
        isEnded = true;
        unwatch();
        hangUp();
      };
    },
  };
}

/** Removes firmware offers from a change, since here only the end of a firmware offer counts as a change. */
function exceptOffers(before: ClientAttributes, now: ClientAttributes): ClientAttributes {
  return new Map(
    [...now].flatMap(([key, text]) => {
      if (!isFirmwareAttribute(key)) return [[key, text]];
      const known = before.get(key);
      return known === undefined ? [] : [[key, known]];
    }),
  );
}
