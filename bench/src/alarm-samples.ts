import { provisionLoad } from '@isotherm/simulator/load/load';
import { AT_ONCE, type BenchDevice, benchDevices, DEVICES_PER_CALL } from './bench-fleet.ts';
import { openConsole } from './console-socket.ts';
import { drain, openAll } from './mqtt-run.ts';
import { type Stage, sleep } from './stage.ts';

const CHANNELS = 50;
const LAST_ALARM_WITHIN_MS = 10_000;
const TOO_WARM = 12.3;

/** Alarms that are raised one by one, each by the first reading of a channel. */
export interface AlarmSamples {
  /** Sends the reading that raises the alarm with this index. */
  raise(index: number): void;
  /** Times in ms from the device's write to the event on the console's socket, in order of arrival. */
  latenciesMs: number[];
  /** Waits for the alarms that are under way, and returns how many never came. */
  finish(): Promise<number>;
}

/** Provisions the devices of up to `count` alarms with numbers from `firstNumber`, and connects a console. */
export async function openAlarmSamples(
  stage: Stage,
  firstNumber: number,
  count: number,
): Promise<AlarmSamples> {
  const { devices, items } = benchDevices(firstNumber, Math.ceil(count / CHANNELS) + 1, AT_ONCE);
  await provisionLoad(stage.client, items, DEVICES_PER_CALL);
  const sentAt = new Map<string, number>();
  const latenciesMs: number[] = [];
  const closeConsole = await openConsole(stage, (message) => {
    const now = performance.now();
    if (message.event !== '0003') return;
    const name = nameOf(message.alarm.deviceNumber, message.alarm.channelName);
    const sent = sentAt.get(name);
    if (sent === undefined) return;
    sentAt.delete(name);
    latenciesMs.push(now - sent);
  });
  const senders = await openAll(stage.mqttPort, devices, Date.now(), () => {});
  return {
    latenciesMs,
    raise(index) {
      const place = index % devices.length;
      const device = devices[place] as BenchDevice;
      const channel = device.channels[Math.floor(index / devices.length)] as string;
      sentAt.set(nameOf(device.number, channel), performance.now());
      senders[place]?.sendReading(channel, TOO_WARM);
    },
    async finish() {
      const deadline = Date.now() + LAST_ALARM_WITHIN_MS;
      while (sentAt.size > 0 && Date.now() < deadline) await sleep(50);
      await drain(senders);
      closeConsole();
      return sentAt.size;
    },
  };
}

const nameOf = (deviceNumber: string, channel: string) => `${deviceNumber}/${channel}`;
