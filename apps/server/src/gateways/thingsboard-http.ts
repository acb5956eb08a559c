import { AppError } from '@isotherm/contracts/errors';
import { THINGSBOARD_PATH } from '@isotherm/contracts/ingest';
import { chosenAttributes } from '@isotherm/domain/devices/client-attributes';
import { readAttributes, readTelemetry } from '@isotherm/protocol/hardware/thingsboard';
import { readAttributeRequest } from '@isotherm/protocol/hardware/thingsboard-requests';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type {
  DeviceAttributes,
  DeviceDirectory,
  DeviceFirmware,
  Downlink,
  KnownDevice,
} from '../features/devices/index.ts';
import type { HardwareIngest, Ingest } from '../features/telemetry/index.ts';
import { abortAfter } from '../platform/abort-after.ts';
import type { Clock } from '../platform/clock.ts';
import { proveCaller } from '../platform/http/connections.ts';
import { jsonOf } from '../platform/json.ts';
import type { Metrics } from '../platform/metrics.ts';
import { sendFirmware } from './firmware-downloads.ts';
import { bodiesAsBytes, within } from './http.ts';
import { bodyOf } from './payload.ts';
import type { SharedAttributes } from './shared-attributes.ts';
import { answerCall, MAX_RPC_BYTES, rpcAnswerOf, rpcOf } from './thingsboard-rpc.ts';

/** Default time in ms for which a polling device waits for a command or a change. */
const WAIT_MS = 20_000;
const waiting = z.object({ timeout: z.coerce.number().int().min(1).max(60_000).default(WAIT_MS) });
/** Status of the device API if there was nothing to deliver. */
const REQUEST_TIMEOUT = 408;
const MOST_FOLLOWERS = 200_000;

interface WithToken {
  Params: { token: string };
}

/** Mounts the ThingsBoard device API over HTTP: the token is in the path. */
export async function mountThingsboardHttp(
  app: FastifyInstance,
  parts: {
    ingest: Pick<Ingest, 'refuse'>;
    hardware: HardwareIngest;
    directory: Pick<DeviceDirectory, 'authenticateToken'>;
    downlink: Downlink;
    firmware: DeviceFirmware;
    attributes: DeviceAttributes;
    shared: SharedAttributes;
    metrics: Metrics;
    clock: Clock;
  },
): Promise<void> {
  const { ingest, hardware, directory, downlink, firmware, attributes, shared, metrics, clock } = parts;
  /** Functions that end the pending poll of a device for changed attributes. */
  const polls = new Map<number, () => void>();
  /** Devices that poll for changed attributes. They are offered firmware by attributes, not as a command. */
  const followers = new Set<number>();

  /** Throws `ingest.credentials`. */
  async function senderOf(request: FastifyRequest<WithToken>): Promise<KnownDevice> {
    const device = await directory.authenticateToken(request.params.token, {
      gateway: 'http',
      address: request.sender,
    });
    if (!device) {
      metrics.refusedLogins.inc({ gateway: 'http' });
      throw new AppError('ingest.credentials');
    }
    proveCaller(request);
    return device;
  }

  /** Returns the next change of the device's shared attributes; null if there was none in time. */
  function nextChange(device: KnownDevice, signal: AbortSignal): Promise<object | null> {
    return new Promise((resolve) => {
      polls.get(device.id)?.();
      const end = (changes: object | null) => {
        signal.removeEventListener('abort', stop);
        if (polls.get(device.id) === stop) polls.delete(device.id);
        unfollow();
        resolve(changes);
      };
      const stop = () => end(null);
      const unfollow = shared.follow(device, end);
      signal.addEventListener('abort', stop, { once: true });
      polls.set(device.id, stop);
      if (followers.size >= MOST_FOLLOWERS) followers.clear();
      followers.add(device.id);
    });
  }

  // Pending polls are ended, so that a server that stops does not wait for them.
  app.addHook('preClose', async () => {
    for (const stop of polls.values()) stop();
  });

  await app.register(async (scope) => {
    bodiesAsBytes(scope);
    for (const name of ['telemetry', 'attributes'] as const)
      scope.post<WithToken>(`${THINGSBOARD_PATH}/:token/${name}`, {
        // The token is checked before the body is read, so that nothing is buffered for an unauthenticated
        // caller.
        onRequest: async (request) => void (await senderOf(request)),
        async handler(request) {
          const device = await senderOf(request);
          const sent = {
            gateway: 'http' as const,
            address: request.sender,
            payload: bodyOf(request),
          };
          let dropped = 0;
          const keep = async (deviceId: number, values: Readonly<Record<string, unknown>>) => {
            dropped += await attributes.keep(deviceId, values);
          };
          const isAttributes = name === 'attributes';
          await within(
            hardware.take({
              ...sent,
              sender: device,
              receivedAt: clock.now(),
              read: isAttributes ? readAttributes : readTelemetry,
              find: () => device,
              ...(isAttributes ? { keep } : {}),
            }),
          );
          if (dropped > 0) ingest.refuse({ ...sent, device }, 'attributes-dropped');
          return {};
        },
      });

    scope.get<WithToken>(`${THINGSBOARD_PATH}/:token/attributes`, async (request) => {
      const device = await senderOf(request);
      const asked = readAttributeRequest(request.query);
      if (!asked) throw new AppError('request.malformed');
      const found = {
        client: chosenAttributes(await attributes.client(device.id), asked.client),
        shared: chosenAttributes(await attributes.shared(device.id), asked.shared),
      };
      return Object.fromEntries(Object.entries(found).filter(([, values]) => Object.keys(values).length > 0));
    });
    scope.get<WithToken>(`${THINGSBOARD_PATH}/:token/attributes/updates`, async (request, reply) => {
      const device = await senderOf(request);
      const changes = await nextChange(device, endOf(reply, waitOf(request)));
      return changes ?? reply.code(REQUEST_TIMEOUT).send({});
    });

    scope.get<WithToken>(`${THINGSBOARD_PATH}/:token/firmware`, async (request, reply) => {
      const device = await senderOf(request);
      return sendFirmware(request, reply, firmware, device.id);
    });

    scope.get<WithToken>(`${THINGSBOARD_PATH}/:token/rpc`, async (request, reply) => {
      const device = await senderOf(request);
      const command = await downlink.next(
        device,
        endOf(reply, waitOf(request)),
        ({ kind }) => kind !== 'firmware' || !followers.has(device.id),
      );
      return command ? { id: command.id, ...rpcOf(command) } : reply.code(REQUEST_TIMEOUT).send({});
    });
    const small = { bodyLimit: MAX_RPC_BYTES };
    scope.post<WithToken>(`${THINGSBOARD_PATH}/:token/rpc`, small, async (request, reply) => {
      await senderOf(request);
      return reply.send(JSON.stringify(answerCall(bodyOf(request), clock.now())));
    });
    scope.post<{ Params: { token: string; id: string } }>(
      `${THINGSBOARD_PATH}/:token/rpc/:id`,
      small,
      async (request) => {
        const device = await senderOf(request);
        const answer = rpcAnswerOf(Number(request.params.id), jsonOf(bodyOf(request)));
        if (!answer) throw new AppError('request.malformed');
        await downlink.answered(device.id, answer);
        return {};
      },
    );
    // Devices are registered in an organisation before they connect, so a claim has no effect.
    scope.post<WithToken>(`${THINGSBOARD_PATH}/:token/claim`, small, async (request) => {
      await senderOf(request);
      return {};
    });
  });
}

/** Throws `request.malformed`. */
function waitOf({ query }: FastifyRequest): number {
  const asked = waiting.safeParse(query);
  if (!asked.success) throw new AppError('request.malformed');
  return asked.data.timeout;
}

/** Returns a signal that is aborted when the time is up, or when the client has disconnected. */
function endOf(reply: FastifyReply, withinMs: number): AbortSignal {
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  return abortAfter(withinMs, gone.signal);
}
