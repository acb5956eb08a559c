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
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { DeviceDirectory, KnownDevice } from '../features/devices/index.ts';
import type { HardwareIngest } from '../features/telemetry/index.ts';
import type { Clock } from '../platform/clock.ts';
import type { Caller } from '../platform/http/caller.ts';
import { bearerOf, type FindMachine, languageOf } from '../platform/http/mount.ts';
import type { Metrics } from '../platform/metrics.ts';
import { bodiesAsBytes, within } from './http.ts';

/** What an API key must hold to bring the readings of a network's devices. */
const RECEIVE = 'device-mappings:receive';

/**
 * Hardware that speaks HTTP in a language of others: the ThingsBoard device API (a token in the path), and
 * the webhooks of ChirpStack and The Things Stack (an API key of ours in a header).
 */
export async function mountHardwareHttp(
  app: FastifyInstance,
  parts: {
    hardware: HardwareIngest;
    directory: DeviceDirectory;
    findMachine: FindMachine;
    metrics: Metrics;
    clock: Clock;
  },
): Promise<void> {
  const { hardware, directory, findMachine, metrics, clock } = parts;

  await app.register(async (scope) => {
    bodiesAsBytes(scope);
    for (const [name, read] of [
      ['telemetry', readTelemetry],
      ['attributes', readAttributes],
    ] as const)
      scope.post<{ Params: { token: string } }>(`${THINGSBOARD_PATH}/:token/${name}`, {
        async onRequest(request) {
          // Before the body is read: a stranger's megabytes are not gathered.
          if (!(await deviceOf(request.params.token))) refuse();
        },
        async handler(request) {
          const device = await deviceOf(request.params.token);
          if (!device) return refuse();
          await within(hardware.take({ ...sentBy(request, device), read, find: () => device }));
          return {};
        },
      });
  });

  await app.register(async (scope) => {
    bodiesAsBytes(scope);
    const machines = new WeakMap<FastifyRequest, Caller>();
    scope.addHook('onRequest', async (request) => {
      const machine = await findMachine(bearerOf(request) ?? '', request.ip, languageOf(request));
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
      address: request.ip,
      sender,
      payload: Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0),
      receivedAt: clock.now(),
    };
  }
}
