import type { OpenedPacket } from './packet.ts';
import type { PacketType } from './packet-words.ts';

/** A complete message. */
export interface WholeMessage {
  type: PacketType;
  messageId: number;
  content: Uint8Array;
  /** Counters of its packets, if they were sealed. */
  counters: number[];
}

export interface Reassembly {
  /** The message if this was its last missing part, otherwise null. */
  accept(packet: OpenedPacket, now: number): WholeMessage | null;
  /** Discards messages whose parts stopped arriving; returns how many. */
  expire(now: number): number;
  /** Buffered bytes of parts. */
  readonly held: number;
}

interface Partial {
  type: PacketType;
  parts: (Uint8Array | undefined)[];
  counters: number[];
  missing: number;
  bytes: number;
  until: number;
}

/**
 * Reassembles split messages from parts in any order, each used once. Buffers at most `maxBytes` and
 * `maxMessages`: the oldest message is discarded first, and its sender, without an acknowledgement, resends
 * it.
 */
export function createReassembly(maxMessages: number, maxBytes: number, withinMs: number): Reassembly {
  /** By message id, oldest first. */
  const partials = new Map<number, Partial>();
  let held = 0;

  function forget(id: number, partial: Partial): void {
    partials.delete(id);
    held -= partial.bytes;
  }

  return {
    accept({ header: { messageId }, type, counter, part, content }, now) {
      const counters = counter === null ? [] : [counter];
      if (part === null) return { type, messageId, content, counters };
      let partial = partials.get(messageId);
      // The same number with another shape is another message: the former one will not be completed.
      if (partial && (partial.type !== type || partial.parts.length !== part.count)) {
        forget(messageId, partial);
        partial = undefined;
      }
      if (!partial) {
        partial = { type, parts: Array(part.count), counters: [], missing: part.count, bytes: 0, until: 0 };
        partials.set(messageId, partial);
      }
      partial.until = now + withinMs;
      if (partial.parts[part.index] !== undefined) return null;
      partial.parts[part.index] = new Uint8Array(content);
      partial.counters.push(...counters);
      partial.missing--;
      partial.bytes += content.length;
      held += content.length;
      if (partial.missing === 0) {
        forget(messageId, partial);
        const whole = new Uint8Array(partial.bytes);
        let at = 0;
        for (const piece of partial.parts as Uint8Array[]) {
          whole.set(piece, at);
          at += piece.length;
        }
        return { type, messageId, content: whole, counters: partial.counters };
      }
      for (const [id, oldest] of partials) {
        if (partials.size <= maxMessages && held <= maxBytes) break;
        forget(id, oldest);
      }
      return null;
    },
    expire(now) {
      let count = 0;
      for (const [id, partial] of partials) {
        if (partial.until > now) continue;
        forget(id, partial);
        count++;
      }
      return count;
    },
    get held() {
      return held;
    },
  };
}
