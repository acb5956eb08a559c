import { commandAnswer } from '@isotherm/contracts/commands';
import { AppError } from '@isotherm/contracts/errors';
import {
  CHIRPSTACK_PATH,
  MAX_INGEST_BODY_BYTES,
  splitToken,
  THINGS_STACK_PATH,
  THINGSBOARD_PATH,
} from '@isotherm/contracts/ingest';
import { can } from '@isotherm/domain/access/can';
import { readChirpstackEvent } from '@isotherm/protocol/hardware/chirpstack';
import type { HardwareMessages } from '@isotherm/protocol/hardware/hardware-message';
import { readThingsStackMessage } from '@isotherm/protocol/hardware/things-stack';
import { readAttributes, readTelemetry } from '@isotherm/protocol/hardware/thingsboard';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { DeviceDirectory, DeviceFirmware, Downlink, KnownDevice } from '../features/devices/index.ts';
import type { HardwareIngest } from '../features/telemetry/index.ts';
import type { Clock } from '../platform/clock.ts';
import type { Caller } from '../platform/http/caller.ts';
import { bearerOf, type FindMachine, languageOf } from '../platform/http/mount.ts';
import type { Metrics } from '../platform/metrics.ts';
import { sendFirmware } from './firmware-downloads.ts';
import { bodiesAsBytes, within } from './http.ts';
import { jsonOf } from './payload.ts';

/** Permission of an API key that delivers readings for a LoRaWAN network. */
const RECEIVE = 'device-mappings:receive';
/** Default time in ms for which a polling device waits for a command. */
const WAIT_MS = 20_000;
const waiting = z.object({ timeout: z.coerce.number().int().min(1).max(60_000).default(WAIT_MS) });
/** Status of the device API if there was no command. */
const REQUEST_TIMEOUT = 408;
const MAX_REPLY_BYTES = 4 * 1024;

/**
 * Third-party HTTP devices: the ThingsBoard device API (token in the path), and the webhooks of ChirpStack
 * and The Things Stack (our API key in a header).
 */
export async function mountHardwareHttp(
  app: FastifyInstance,
  parts: {
    hardware: HardwareIngest;
    directory: DeviceDirectory;
    downlink: Downlink;
    firmware: DeviceFirmware;
    findMachine: FindMachine;
    metrics: Metrics;
    clock: Clock;
  },
): Promise<void> {
  const { hardware, directory, downlink, firmware, findMachine, metrics, clock } = parts;

  await app.register(async (scope) => {
    bodiesAsBytes(scope);
    for (const [name, read] of [
      ['telemetry', readTelemetry],
      ['attributes', readAttributes],
    ] as const)
      scope.post<{ Params: { token: string } }>(`${THINGSBOARD_PATH}/:token/${name}`, {
        async onRequest(request) {
          // Checked before the body is read, so that nothing is buffered for a stranger.
          if (!(await deviceOf(request.params.token))) refuse();
        },
        async handler(request) {
          const device = await deviceOf(request.params.token);
          if (!device) return refuse();
          await within(hardware.take({ ...sentBy(request, device), read, find: () => device }));
          return {};
        },
      });
    scope.get<{ Params: { token: string } }>(
      `${THINGSBOARD_PATH}/:token/firmware`,
      async (request, reply) => {
        const device = (await deviceOf(request.params.token)) ?? refuse();
        return sendFirmware(request, reply, firmware, device.id);
      },
    );
    scope.get<{ Params: { token: string } }>(`${THINGSBOARD_PATH}/:token/rpc`, async (request, reply) => {
      const device = (await deviceOf(request.params.token)) ?? refuse();
      const asked = waiting.safeParse(request.query);
      if (!asked.success) throw new AppError('request.malformed');
      const command = await downlink.next(device, endOf(reply, asked.data.timeout));
      if (!command) return reply.code(REQUEST_TIMEOUT).send({});
      const { kind, ...params } = command.order;
      return { id: command.id, method: kind, params };
    });
    scope.post<{ Params: { token: string; id: string } }>(
      `${THINGSBOARD_PATH}/:token/rpc/:id`,
      { bodyLimit: MAX_REPLY_BYTES },
      async (request) => {
        const device = (await deviceOf(request.params.token)) ?? refuse();
        const answered = commandAnswer.safeParse({
          ...replyOf(jsonOf(bodyOf(request))),
          id: Number(request.params.id),
        });
        if (!answered.success) throw new AppError('request.malformed');
        await downlink.answered(device.id, answered.data);
        return {};
      },
    );
  });

  await app.register(async (scope) => {
    bodiesAsBytes(scope);
    const machines = new WeakMap<FastifyRequest, Caller>();
    scope.addHook('onRequest', async (request) => {
      const machine = await findMachine(bearerOf(request) ?? '', request.sender, languageOf(request));
      if (!can(machine.permissions, RECEIVE))
        throw new AppError('permission.denied', { permission: RECEIVE });
      machines.set(request, machine);
    });
    const receive = (read: (request: FastifyRequest) => (payload: unknown) => HardwareMessages) => ({
      bodyLimit: MAX_INGEST_BODY_BYTES,
      handler: async (request: FastifyRequest) => {
        const machine = machines.get(request) as Caller;
        const result = await within(
          hardware.take({
            ...sentBy(request, { number: machine.username, organizationId: machine.organizationId }),
            read: read(request),
            find: (devEui) => (devEui === null ? null : directory.findByEui(machine.scope, devEui)),
          }),
        );
        return { status: '1', message: '', data: result };
      },
    });
    scope.post(
      CHIRPSTACK_PATH,
      receive((request) => {
        const { event } = request.query as { event?: unknown };
        return (payload) => readChirpstackEvent(String(event), payload);
      }),
    );
    scope.post(
      THINGS_STACK_PATH,
      receive(() => readThingsStackMessage),
    );
  });

  function deviceOf(token: string) {
    const { number, key } = splitToken(token);
    return directory.authenticate(number, key);
  }

  function refuse(): never {
    metrics.refusedLogins.inc({ gateway: 'http' });
    throw new AppError('ingest.credentials');
  }

  function sentBy(request: FastifyRequest, sender: Pick<KnownDevice, 'number' | 'organizationId'>) {
    return {
      gateway: 'http' as const,
      address: request.sender,
      sender,
      payload: bodyOf(request),
      receivedAt: clock.now(),
    };
  }
}

/** Aborted when the time is up, or when the client has disconnected. */
function endOf(reply: FastifyReply, withinMs: number): AbortSignal {
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  return AbortSignal.any([gone.signal, AbortSignal.timeout(withinMs)]);
}

const bodyOf = ({ body }: FastifyRequest): Buffer => (Buffer.isBuffer(body) ? body : Buffer.alloc(0));

/** A reply in our format, or from a device that knows no states. */
function replyOf(said: unknown): object {
  if (typeof said !== 'object' || said === null) return { state: 'success' };
  return 'state' in said ? said : { state: 'error' in said ? 'failed' : 'success' };
}
