import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { FLEET_ASSETS } from './fleet/catalogue.ts';
import { SCENARIOS } from './fleet/disturbance.ts';
import { type FirmwareKey, firmwareKey } from './fleet/firmware-key.ts';
import { deviceKey } from './fleet/provision.ts';
import { startAlertor } from './live/alertor.ts';
import { type Report, runDemo } from './live/demo.ts';
import { fleetSecret } from './live/state-file.ts';
import { runLoad } from './load/load.ts';

const USAGE = `Isotherm fleet simulator

  demo      a fleet of 24 assets: writes its history, then runs live
            --server http://127.0.0.1:8080   --mqtt mqtt://127.0.0.1:1883   --tcp tcp://127.0.0.1:6018
            --username u --password p        account that may provision devices
            --fleet-secret-file f            keys derive from it; made when missing; the state file stands beside it
            --seed 1  --history-days 30      --time-scale 1    thermal time against real time
            --trigger-ms 60000               trigger time of limit rules, at provisioning
            --control-port 8090              loopback control port; 0 for none
            --chance on|off                  whether things go wrong by themselves
            --records on|off                 whether there are certificates, studies, floor plans and so on
            --upgrade-failures 0             share of loggers, 0 to 1, that do not start with a new firmware

  scenario <name> --asset <code> [--speed n] [--duration-ms n] [--control-port 8090]
            ${SCENARIOS.join(', ')}
  clear [--asset <code>]    end what goes on
  state                     what the fleet is doing
  key <device number>       the key of a device of the demo; its secret is in ISOTHERM_DATA or ./.isotherm
            --fleet-secret-file as above
  firmware-key              the public key of the makers of the demo's loggers, to be trusted under Upgrade
  sign <file> --model m --version v    what to give with a firmware that these loggers shall believe

  alertor <serial>          a siren that is registered in the console; shows its state, Enter presses its button
            --mqtt, --key k, --press-after 0 (ms after which it presses by itself; 0 for never)

  load (or no word)  many plain devices at a given rate
            --devices 1000 --rate 5000 --seconds 30 --protocol mqtt|http|tcp --batch 1
            --server, --mqtt, --tcp, --username, --password, --fleet-secret-file as above
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    help: { type: 'boolean', short: 'h', default: false },
    server: { type: 'string', default: 'http://127.0.0.1:8080' },
    mqtt: { type: 'string', default: 'mqtt://127.0.0.1:1883' },
    tcp: { type: 'string', default: 'tcp://127.0.0.1:6018' },
    username: { type: 'string', default: '' },
    password: { type: 'string', default: '' },
    'fleet-secret-file': {
      type: 'string',
      default: join(process.env.ISOTHERM_DATA || '.isotherm', 'fleet-secret'),
    },
    seed: { type: 'string', default: '1' },
    'history-days': { type: 'string', default: '30' },
    'time-scale': { type: 'string', default: '1' },
    'trigger-ms': { type: 'string', default: '60000' },
    'control-port': { type: 'string', default: '8090' },
    chance: { type: 'string', default: 'on' },
    records: { type: 'string', default: 'on' },
    asset: { type: 'string' },
    speed: { type: 'string', default: '1' },
    'duration-ms': { type: 'string' },
    devices: { type: 'string', default: '1000' },
    rate: { type: 'string', default: '5000' },
    seconds: { type: 'string', default: '30' },
    protocol: { type: 'string', default: 'mqtt' },
    batch: { type: 'string', default: '1' },
    'upgrade-failures': { type: 'string', default: '0' },
    model: { type: 'string', default: '' },
    version: { type: 'string', default: '' },
    key: { type: 'string', default: '' },
    'press-after': { type: 'string', default: '0' },
  },
});

function number(name: keyof typeof values, least: number): number {
  const value = Number(values[name]);
  if (!Number.isFinite(value) || value < least)
    throw new Error(`--${name} must be a number, at least ${least}`);
  return value;
}

function oneOf<T extends string>(name: keyof typeof values, allowed: readonly T[]): T {
  const found = allowed.find((item) => item === values[name]);
  if (!found) throw new Error(`--${name} must be one of ${allowed.join(', ')}`);
  return found;
}

/** Returns a signal that aborts on Ctrl-C, on SIGTERM, and when the parent process has ended. */
function stopSignal(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => controller.abort());
  if (process.send) process.on('disconnect', () => controller.abort());
  return controller.signal;
}

function tell(report: Report): void {
  if (process.connected) process.send?.(report);
  else if (report.type === 'progress') console.log(report.text);
  else if (report.type === 'ready') console.log(`live; control port ${report.controlPort ?? 'off'}`);
}

async function control(method: string, path: string, body?: unknown): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${number('control-port', 1)}${path}`, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  console.log(JSON.stringify(await response.json(), null, 2));
  if (!response.ok) process.exitCode = 1;
}

/**
 * Derives the key of a device. It never creates the secret, because a new one would give keys that the
 * server refuses.
 */
function keyOf(deviceNumber: string | undefined): string {
  const asset = FLEET_ASSETS.find((candidate) => candidate.deviceNumber === deviceNumber);
  if (!asset) {
    const known = FLEET_ASSETS.map((candidate) => `  ${candidate.deviceNumber}  ${candidate.name}`);
    throw new Error(`key <device number>, one of\n${known.join('\n')}`);
  }
  const file = values['fleet-secret-file'];
  if (!existsSync(file)) {
    throw new Error(`There is no ${file}: start the demo first, or set ISOTHERM_DATA to its data folder.`);
  }
  return deviceKey(fleetSecret(file), asset.deviceNumber);
}

/**
 * Returns the key that signs firmware. It never creates the secret, because a new one would give a key that
 * no logger has.
 */
function makersKey(): FirmwareKey {
  const file = values['fleet-secret-file'];
  if (!existsSync(file))
    throw new Error(`There is no ${file}: start the demo first, or set ISOTHERM_DATA to its data folder.`);
  return firmwareKey(fleetSecret(file));
}

function signatureOf(file: string | undefined): string {
  const { model: title, version } = values;
  if (!file || title === '' || version === '')
    throw new Error('sign <file> --model <model> --version <version>');
  const bytes = readFileSync(file);
  const checksum = createHash('sha256').update(bytes).digest('hex');
  return makersKey().sign({ title, version, size: bytes.length, checksum });
}

/** Runs one alertor until the program is stopped. */
async function runAlertor(serial: string | undefined, stop: AbortSignal): Promise<void> {
  if (!serial || values.key === '') throw new Error('alertor <serial> --key <key>');
  const pressAfterMs = number('press-after', 0);
  const alertor = startAlertor({
    mqttUrl: values.mqtt,
    serial,
    key: values.key,
    say: console.log,
    onAlarm: () => {
      if (pressAfterMs > 0) setTimeout(alertor.press, pressAfterMs).unref();
    },
  });
  process.stdin.on('data', () => alertor.press());
  await new Promise((resolve) => stop.addEventListener('abort', resolve, { once: true }));
  await alertor.close();
}

async function main(): Promise<void> {
  const [command = 'load', name] = positionals;
  if (values.help) return console.log(USAGE);
  switch (command) {
    case 'demo': {
      const controlPort = number('control-port', 0);
      return runDemo(
        {
          server: values.server,
          mqtt: values.mqtt,
          tcp: values.tcp,
          username: values.username,
          password: values.password,
          fleetSecretFile: values['fleet-secret-file'],
          seed: number('seed', 0),
          historyDays: number('history-days', 0),
          timeScale: number('time-scale', 0.001),
          triggerMs: number('trigger-ms', 1),
          controlPort: controlPort === 0 ? null : controlPort,
          chance: oneOf('chance', ['on', 'off']) === 'on',
          records: oneOf('records', ['on', 'off']) === 'on',
          upgradeFailures: number('upgrade-failures', 0),
        },
        tell,
        stopSignal(),
      );
    }
    case 'scenario':
      return control('POST', '/scenario', {
        name,
        assetCode: values.asset,
        speed: number('speed', 1),
        ...(values['duration-ms'] ? { durationMs: number('duration-ms', 1000) } : {}),
      });
    case 'clear':
      return control('POST', '/clear', values.asset ? { assetCode: values.asset } : {});
    case 'state':
      return control('GET', '/state');
    case 'key':
      return console.log(keyOf(name));
    case 'firmware-key':
      return console.log(makersKey().publicKey);
    case 'sign':
      return console.log(signatureOf(name));
    case 'alertor':
      return runAlertor(name, stopSignal());
    case 'load':
      return runLoad(
        {
          server: values.server,
          mqtt: values.mqtt,
          tcp: values.tcp,
          username: values.username,
          password: values.password,
          fleetSecretFile: values['fleet-secret-file'],
          devices: number('devices', 1),
          rate: number('rate', 1),
          seconds: number('seconds', 1),
          batch: number('batch', 1),
          protocol: oneOf('protocol', ['mqtt', 'http', 'tcp']),
        },
        stopSignal(),
      );
    default:
      console.error(USAGE);
      process.exitCode = 2;
  }
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
// All data is stored at this point, so open sockets must not keep the process alive.
process.exit();
