import { dirname, join } from 'node:path';
import { provisionDevices } from '@isotherm/contracts/devices';
import { type ApiClient, ApiRefusal, logIn } from '../client/api-client.ts';
import { packetUplink } from '../client/packet-uplink.ts';
import { httpUplink, ingestPool, mqttUplink } from '../client/uplink.ts';
import type { FleetAsset } from '../fleet/asset.ts';
import { FLEET_ASSETS } from '../fleet/catalogue.ts';
import { firmwareKey } from '../fleet/firmware-key.ts';
import { OPENING_ASSET, openingStory } from '../fleet/opening.ts';
import { pastOf } from '../fleet/past.ts';
import { deviceKey, provisionItemOf } from '../fleet/provision.ts';
import { startingState } from '../fleet/simulation.ts';
import { seedFrom } from '../random.ts';
import { DEMO_ALERTOR } from '../records/alertors.ts';
import { installCameras } from '../records/cameras.ts';
import { keepRecords, startRecording } from '../records/keep-records.ts';
import { startAlertor } from './alertor.ts';
import { type Backlog, backfill } from './backfill.ts';
import { createChance } from './chance.ts';
import { cameraAt, startControlServer } from './control-server.ts';
import { createDevice } from './device.ts';
import { createFirmware, FACTORY_VERSION, type Renewal } from './firmware.ts';
import { createMember, type Member } from './member.ts';
import { createObedience } from './obedience.ts';
import { attendPastAlarms } from './past-alarms.ts';
import { type FleetMemory, fleetSecret, readMemory, writeMemory } from './state-file.ts';

const DAY_MS = 86_400_000;
const TICK_MS = 1_000;
const REMEMBER_EVERY_MS = 10_000;
const LOGIN_RETRY_MS = 1_000;
/**
 * Delay between login attempts after a refusal. Refused attempts are counted per network address, so faster
 * retries would keep the address blocked.
 */
const REFUSED_RETRY_MS = 5_000;
const CLOSE_WITHIN_MS = 1_200;
/** The live simulation starts when at most this much of the history is missing. */
const LIVE_WITHIN_MS = 60_000;
const FIRST_CHANCE_MS = 90_000;
/** Code of the asset whose device refuses commands, so that a batch of commands to the fleet fails partly. */
const LOCKED_ASSET = 'BF-01';
/** Duration of a device's restart with new firmware. */
const RESTART_MS = 6_000;

export interface DemoOptions {
  server: string;
  mqtt: string;
  tcp: string;
  username: string;
  password: string;
  fleetSecretFile: string;
  seed: number;
  historyDays: number;
  /** Factor by which the thermal simulation runs faster. */
  timeScale: number;
  /** Trigger delay of the limit rules. */
  triggerMs: number;
  /** Port of the control server; null for none. */
  controlPort: number | null;
  /** True to start random scenarios. */
  chance: boolean;
  /** True to create records: certificates, studies, floor plans and so on. */
  records: boolean;
  /** Fraction of firmware updates that fail, 0 to 1. */
  upgradeFailures: number;
}

export type Report =
  | { type: 'progress'; text: string }
  | { type: 'ready'; controlPort: number | null }
  | { type: 'stopped' };

/** Registers the fleet, sends its history, and runs it live until `stop`. */
export async function runDemo(options: DemoOptions, report: (report: Report) => void, stop: AbortSignal) {
  const progress = (text: string) => report({ type: 'progress', text });
  const secret = fleetSecret(options.fleetSecretFile);
  const memoryFile = join(dirname(options.fleetSecretFile), 'fleet-state.json');

  const client = await logInPatiently(options, progress, stop);
  if (!client) return;
  const { created } = await client.call(provisionDevices, {
    body: { items: FLEET_ASSETS.map((asset) => provisionItemOf(asset, secret, options.triggerMs)) },
  });
  // If devices were newly registered, the server has no history for them, so the state file is ignored.
  const memory = created > 0 ? null : readMemory(memoryFile, options.seed);
  const first = !memory?.live;
  const startMs = Date.now();
  // The history starts at midnight, so that a history that was interrupted and is repeated on the same day
  // is the same.
  const beginMs = Math.floor(startMs / DAY_MS - options.historyDays) * DAY_MS;

  const openAsset = first && options.chance ? OPENING_ASSET : null;
  const openDoor = openingStory(startMs);

  const backlogs: Backlog[] = FLEET_ASSETS.map((asset) => {
    const known = memory?.devices[asset.deviceNumber];
    const state = known && known.state.at > beginMs ? known.state : startingState(asset, beginMs);
    const random = { state: known?.randomState ?? seedFrom(`${options.seed} ${asset.code}`) };
    const past = known ? [] : pastOf(asset.code, startMs);
    if (asset.code === openAsset) past.push(openDoor);
    return { asset, run: { state, random }, key: deviceKey(secret, asset.deviceNumber), past };
  });

  const pool = ingestPool(options.server, 16);
  const delivered: FleetMemory = { seed: options.seed, live: false, devices: { ...memory?.devices } };
  let toldAt = 0;
  let sent = 0;
  do {
    sent += await backfill(
      pool,
      backlogs,
      (readings, share) => {
        if (Date.now() - toldAt < 500) return;
        toldAt = Date.now();
        progress(`history ${Math.round(share * 100)} % (${sent + readings} readings)`);
      },
      ({ asset, run }) => {
        const known = memory?.devices[asset.deviceNumber] ?? { unsent: [] };
        delivered.devices[asset.deviceNumber] = {
          ...known,
          state: run.state,
          randomState: run.random.state,
        };
        writeMemory(memoryFile, delivered);
      },
      () => stop.aborted,
    );
    // On a slow machine, much time passes while the history is sent, and this time must be sent as history,
    // too.
  } while (!stop.aborted && backlogs.some(({ run }) => Date.now() - run.state.at > LIVE_WITHIN_MS));
  if (stop.aborted) return pool.destroy();
  progress(`history written: ${sent} readings in ${((Date.now() - startMs) / 1000).toFixed(1)} s`);
  const makers = firmwareKey(secret);
  const recording =
    first && options.records
      ? await startRecording(client, {
          makers,
          keyOf: (serial) => deviceKey(secret, serial),
          startMs,
          historyDays: options.historyDays,
        })
      : null;
  if (recording) await keepRecords(recording);

  const uplinkOf = ({ transport, deviceNumber }: FleetAsset, key: string) => {
    if (transport === 'mqtt') return mqttUplink(options.mqtt, deviceNumber, key);
    if (transport === 'http') return httpUplink(pool, deviceNumber, key);
    return packetUplink(options.tcp, deviceNumber, key, transport.packets);
  };
  const fleet = backlogs.map(({ asset, run, key }) => {
    const uplink = uplinkOf(asset, key);
    const known = memory?.devices[asset.deviceNumber];
    const device = createDevice(uplink, known?.unsent ?? []);
    const begun = asset.code === openAsset ? [openDoor] : [];
    const member = createMember(asset, run, device, options.timeScale, begun);
    if (known?.acquisitionEveryMs) member.setAcquisitionInterval(known.acquisitionEveryMs);
    if (known?.uploadEveryMs) device.setUploadInterval(known.uploadEveryMs);
    const locked = asset.code === LOCKED_ASSET;
    const machine = { ...member, setUploadInterval: device.setUploadInterval };
    const obedience = createObedience(uplink, machine, locked);
    const renewal = createFirmware({
      uplink,
      model: asset.deviceModel,
      key: makers,
      restartMs: RESTART_MS,
      version: known?.firmware ?? FACTORY_VERSION,
      // Whether the update fails depends only on the device, so that it is the same when the simulation is
      // repeated.
      fails: (seedFrom(`upgrade ${options.seed} ${asset.code}`) % 1_000) / 1_000 < options.upgradeFailures,
      restart: (forMs) => member.switchOff(Date.now() + forMs),
    });
    uplink.listen((command) => {
      if (command.offer && !locked) renewal.take(command.id, command.offer).catch(() => undefined);
      else obedience.take(command, Date.now());
    });
    renewal.announce().catch(() => undefined);
    return { member, obedience, renewal };
  });
  const alertor = options.records
    ? startAlertor({
        mqttUrl: options.mqtt,
        serial: DEMO_ALERTOR.serial,
        key: deviceKey(secret, DEMO_ALERTOR.serial),
        say: progress,
      })
    : null;
  const members = fleet.map(({ member }) => member);
  let live = false;
  const control =
    options.controlPort === null ? null : await startControlServer(options.controlPort, members, () => live);
  // Cameras are installed only now, because the server tries a camera as soon as it is registered.
  if (recording && control) await installCameras(recording, cameraAt(control.port));

  const liveSince = Date.now();
  const chance = createChance(
    members,
    { state: seedFrom(`chance ${options.seed}`) },
    liveSince + FIRST_CHANCE_MS,
  );
  const remember = () => writeMemory(memoryFile, memoryOf(options.seed, fleet));
  let rememberedAt = liveSince;
  const timer = setInterval(() => {
    const now = Date.now();
    if (options.chance) chance.tick(now);
    for (const { member, obedience } of fleet) {
      member.tick(now);
      obedience.tick(now);
    }
    if (now - rememberedAt >= REMEMBER_EVERY_MS) {
      rememberedAt = now;
      remember();
    }
  }, TICK_MS);
  live = true;
  remember();
  report({ type: 'ready', controlPort: control?.port ?? null });
  if (first)
    attendPastAlarms(client, startMs, { state: seedFrom(`past ${options.seed}`) }, stop).catch(() => {
      // If acknowledging the past alarms fails, the remaining ones are left for the visitor.
    });

  await new Promise<void>((resolve) => {
    if (stop.aborted) resolve();
    else stop.addEventListener('abort', () => resolve(), { once: true });
  });
  clearInterval(timer);
  control?.stop();
  await alertor?.close();
  await Promise.all(members.map((member) => member.device.close(CLOSE_WITHIN_MS)));
  remember();
  await pool.destroy();
  report({ type: 'stopped' });
}

function memoryOf(seed: number, fleet: readonly { member: Member; renewal: Renewal }[]): FleetMemory {
  return {
    seed,
    live: true,
    devices: Object.fromEntries(
      fleet.map(({ member: { asset, run, device, acquisitionEveryMs }, renewal }) => [
        asset.deviceNumber,
        {
          state: run.state,
          randomState: run.random.state,
          unsent: [...device.pending()],
          acquisitionEveryMs: acquisitionEveryMs(),
          uploadEveryMs: device.uploadEveryMs(),
          firmware: renewal.version(),
        },
      ]),
    ),
  };
}

/** Retries the login while the server may still be starting; a refusal of the account is final. */
async function logInPatiently(
  options: DemoOptions,
  progress: (text: string) => void,
  stop: AbortSignal,
): Promise<ApiClient | null> {
  for (let attempt = 1; !stop.aborted; attempt++) {
    try {
      return await logIn(options.server, options.username, options.password);
    } catch (error) {
      if (error instanceof ApiRefusal && error.code.startsWith('login.')) throw error;
      const refused = error instanceof ApiRefusal;
      const message = (error as Error).message.replace(/\.?( \([\w.]+\))?$/, '');
      if (refused) progress(`cannot log in: ${message}; trying again`);
      else if (attempt % 5 === 0) progress(`waiting for ${options.server}: ${message}`);
      await new Promise((resolve) => setTimeout(resolve, refused ? REFUSED_RETRY_MS : LOGIN_RETRY_MS));
    }
  }
  return null;
}
