import type { GivenOrder } from '@isotherm/contracts/commands';
import { INDICATOR_CODES } from '@isotherm/protocol/gateway-packet/packet-words';
import type { Command } from '@isotherm/protocol/gateway-packet/session-bodies';

const HUNDREDTHS = 100;

/** Encodes a command for a gateway packet, with its parameters as numbers (docs/gateway-packet.md). */
export function packetCommandOf(id: number, order: GivenOrder): Command {
  const values = valuesOf(order);
  return {
    id,
    command: order.kind,
    parameters: values.flatMap((value, index) => (value === null ? [] : [{ parameter: index + 1, value }])),
  };
}

function valuesOf(order: GivenOrder): (number | null)[] {
  const hundredths = (limit: number | null) => limit && Math.round(limit * HUNDREDTHS);
  switch (order.kind) {
    case 'reboot':
    case 'shutdown':
      return [];
    case 'acquisition-interval':
    case 'upload-interval':
      return [order.seconds];
    case 'offline-standard':
      return [order.minutes];
    case 'alarm-limits':
      return [order.sensor, INDICATOR_CODES[order.indicator], hundredths(order.low), hundredths(order.high)];
  }
}
