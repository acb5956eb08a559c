import { provisionLoad } from '@isotherm/simulator/load/load';
import { type AlarmSamples, openAlarmSamples } from './alarm-samples.ts';
import { benchDevices, DEVICES_PER_CALL, INSIDE } from './bench-fleet.ts';
import type { MqttSender } from './mqtt-load.ts';
import { drain, openAll, pace } from './mqtt-run.ts';
import { percentile, type Stage } from './stage.ts';

/** Readings per second over MQTT, each in a message of its own. */
const PER_SECOND = 5_000;
const DEVICES = 100;
/** Alarms are raised at this interval, at most so many. */
const ALARM_EVERY_MS = 100;
const MOST_ALARMS = 4_000;

/** Runs `work` as it is, or while readings and alarms arrive. */
export type During = <T>(work: () => Promise<T>) => Promise<T>;

/** Load beside reports. */
export interface ReportLoad {
  during: During;
  /** Throws if a reading was not acknowledged or an alarm never came. */
  finish(): Promise<{ beside_alarm_p99_ms: number; beside_readings_per_s: number }>;
}

/** Creates the load. Its devices connect when it begins for the first time, since reports need minutes of preparation. */
export function createReportLoad(stage: Stage): ReportLoad {
  let connected: { alarms: AlarmSamples; senders: readonly MqttSender[] } | null = null;
  let acknowledged = 0;
  let raised = 0;
  let seconds = 0;

  async function connect() {
    const { devices, items } = benchDevices(76_000_000, DEVICES, INSIDE);
    await provisionLoad(stage.client, items, DEVICES_PER_CALL);
    const alarms = await openAlarmSamples(stage, 77_000_000, MOST_ALARMS);
    const senders = await openAll(stage.mqttPort, devices, Date.now() - 20 * 60_000, () => {
      acknowledged += 1;
    });
    return { alarms, senders };
  }

  return {
    async during(work) {
      connected ??= await connect();
      const { alarms, senders } = connected;
      const began = performance.now();
      const stopPacing = pace(senders, PER_SECOND);
      const timer = setInterval(() => {
        if (raised < MOST_ALARMS) alarms.raise(raised++);
      }, ALARM_EVERY_MS);
      try {
        return await work();
      } finally {
        clearInterval(timer);
        stopPacing();
        seconds += (performance.now() - began) / 1_000;
      }
    },
    async finish() {
      if (!connected) throw new Error('nothing ran beside the load');
      const { alarms, senders } = connected;
      await drain(senders);
      const perSecond = Math.round(acknowledged / seconds);
      const missing = await alarms.finish();
      if (missing > 0) throw new Error(`${missing} alarms never came`);
      const sorted = [...alarms.latenciesMs].sort((a, b) => a - b);
      const [p50, p99] = [0.5, 0.99].map((share) => Math.round(percentile(sorted, share)));
      console.log(
        `  beside them: ${acknowledged} readings acknowledged, ${perSecond} a second; ${sorted.length} alarms, p50 ${p50} ms, p99 ${p99} ms`,
      );
      return { beside_alarm_p99_ms: p99 as number, beside_readings_per_s: perSecond };
    },
  };
}
