import { AppError } from '@isotherm/contracts/errors';
import {
  CHIRPSTACK_PATH,
  EFENTO_PATH,
  MAX_INGEST_BODY_BYTES,
  THINGS_STACK_PATH,
} from '@isotherm/contracts/ingest';
import { can } from '@isotherm/domain/access/can';
import { readChirpstackEvent } from '@isotherm/protocol/hardware/chirpstack';
import { readEfentoMeasurements, readResponseHandles } from '@isotherm/protocol/hardware/efento';
import type { HardwareMessages } from '@isotherm/protocol/hardware/hardware-message';
import { readThingsStackMessage } from '@isotherm/protocol/hardware/things-stack';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { DeviceDirectory, KnownDevice } from '../features/devices/index.ts';
import type { HardwareIngest } from '../features/telemetry/index.ts';
import type { Clock } from '../platform/clock.ts';
import type { Caller } from '../platform/http/caller.ts';
import { bearerOf, type FindMachine, languageOf } from '../platform/http/mount.ts';
import { bodiesAsBytes, within } from './http.ts';
import { bodyOf } from './payload.ts';

/** Permission of an API key that delivers readings for a LoRaWAN network. */
const RECEIVE = 'device-mappings:receive';

/** Header in which an Efento gateway sends its token. */
const EFENTO_TOKEN = 'x-api-token';

/** Mounts the webhooks of ChirpStack, The Things Stack and Efento, which send an API key of Isotherm in a header. */
export async function mountHardwareHttp(
  app: FastifyInstance,
  parts: {
    hardware: HardwareIngest;
    directory: DeviceDirectory;
    findMachine: FindMachine;
    clock: Clock;
  },
): Promise<void> {
  const { hardware, directory, findMachine, clock } = parts;

  await app.register(async (scope) => {
    bodiesAsBytes(scope);
    const machines = new WeakMap<FastifyRequest, Caller>();
    scope.addHook('onRequest', async (request) => {
      const token = bearerOf(request) ?? request.headers[EFENTO_TOKEN];
      const machine = await findMachine(String(token ?? ''), request.sender, languageOf(request));
      if (!can(machine.permissions, RECEIVE))
        throw new AppError('permission.denied', { permission: RECEIVE });
      machines.set(request, machine);
    });
    /**
     * The gateway treats only the status 201 as success and otherwise sends the message again. `Y` has the
     * handles of the sensors whose missed measurements it is to read from their memory, `N` the others.
     */
    const receiveEfento = async (request: FastifyRequest, reply: FastifyReply) => {
      const machine = machines.get(request) as Caller;
      const registered = new Set<string>();
      let handles = new Map<number, string>();
      await within(
        hardware.take({
          ...sentBy(request, { number: machine.username, organizationId: machine.organizationId }),
          read: (payload) => {
            handles = readResponseHandles(payload);
            return readEfentoMeasurements(payload);
          },
          find: async (eui) => {
            const device = eui === null ? null : await directory.findByEui(machine.scope, eui);
            if (eui !== null && device) registered.add(eui);
            return device;
          },
        }),
      );
      const handlesOf = (isRegistered: boolean) =>
        [...handles].filter(([, eui]) => registered.has(eui) === isRegistered).map(([handle]) => handle);
      reply.code(201);
      return { Y: handlesOf(true), N: handlesOf(false) };
    };
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
    scope.post(EFENTO_PATH, { bodyLimit: MAX_INGEST_BODY_BYTES }, receiveEfento);
  });

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
