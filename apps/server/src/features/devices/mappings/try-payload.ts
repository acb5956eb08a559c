import { AppError } from '@isotherm/contracts/errors';
import type { PayloadFormat, tryPayloadMapping } from '@isotherm/contracts/payload-mappings';
import type { ResponseOf } from '@isotherm/contracts/route';
import { isPhysical } from '@isotherm/domain/readings/indicator';
import {
  indicatorOf,
  type Mapping,
  mapPayload,
  unfold,
  unreadValues,
} from '@isotherm/domain/readings/payload-mapping';
import { readChirpstackEvent } from '@isotherm/protocol/hardware/chirpstack';
import { readEfentoMeasurements } from '@isotherm/protocol/hardware/efento';
import { type HardwareMessages, isRecord } from '@isotherm/protocol/hardware/hardware-message';
import { readThingsStackMessage } from '@isotherm/protocol/hardware/things-stack';
import { readGatewayTelemetry, readTelemetry } from '@isotherm/protocol/hardware/thingsboard';

/**
 * The end of the year 9999 in epoch ms: later times have no ISO form of the usual length, and are rejected.
 */
const LAST_WRITABLE_MS = 253_402_300_799_999;

const READERS: Record<PayloadFormat, (payload: unknown) => HardwareMessages> = {
  thingsboard: readTelemetry,
  'thingsboard-gateway': readGatewayTelemetry,
  // For ChirpStack, the event name is part of the request's URL, but the fields identify the event as well.
  chirpstack: (payload) =>
    readChirpstackEvent(
      isRecord(payload) && !('object' in payload) && 'margin' in payload ? 'status' : 'up',
      payload,
    ),
  'things-stack': readThingsStackMessage,
  efento: readEfentoMeasurements,
};

/** Returns the readings that a payload would produce. Throws `mapping.payload` if it is not JSON. */
export function tryPayload(
  form: Mapping & { format: PayloadFormat; payload: string },
): ResponseOf<typeof tryPayloadMapping> {
  let payload: unknown;
  try {
    payload = JSON.parse(form.payload);
  } catch (cause) {
    throw new AppError('mapping.payload', {}, { cause });
  }
  const { messages, faults } = READERS[form.format](payload);
  const tried = messages.flatMap(({ device, at, values }) =>
    unfold(form.list, { at, values }).map((part, index) => ({
      device,
      part,
      unread: index === 0 ? unreadValues(form, values).map(({ path }) => path) : [],
    })),
  );
  const timed = tried.filter(({ part }) => !Number.isNaN(part.at));
  return {
    messages: timed.map(({ device, part: { at, values }, unread }) => ({
      device,
      at: at === null || at < 0 || at > LAST_WRITABLE_MS ? null : new Date(at).toISOString(),
      readings: mapPayload(form.entries, values).map(({ channel, value }) => ({
        channel,
        value,
        fault: isPhysical(indicatorOf(channel), value) ? null : ('outside-physical-range' as const),
      })),
      unread,
    })),
    faults: timed.length < tried.length ? [...faults, 'time' as const] : faults,
  };
}
