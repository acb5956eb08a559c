import { createCalibration, findCalibratedSensors, listCalibrations } from '@isotherm/contracts/calibrations';
import { seedFrom, uniform } from '../random.ts';
import type { Recording } from './recording.ts';

/** Prefixes of device numbers. Each prefix matches no more sensors than one response contains. */
const NUMBERS = ['310101', '310102', '31020', '31030', '31040', '31050'];
/** Numbers of new loggers without a certificate. */
const NEVER_CALIBRATED: ReadonlySet<string> = new Set(['31020107', '31030121', '31040108', '31050127']);
/** Age of the certificate in days at the start of the demo; other sensors get a random age below half a year. */
const ISSUED_DAYS_AGO: Readonly<Record<string, number>> = {
  '31020104': 381,
  '31020102': 352,
  '31010103': 344,
  '31040102': 339,
};
const VALID_DAYS = 365;
const LABORATORIES = ['Shanghai Institute of Metrology', 'Huadong Calibration Services'];

/** Creates certificates of most sensors: valid, due soon and overdue. Some sensors get none. */
export async function recordCertificates({ client, day }: Recording): Promise<void> {
  const { total } = await client.call(listCalibrations, { query: { shown: 'all', pageSize: '1' } });
  if (total > 0) return;
  const found = await Promise.all(
    NUMBERS.map((search) => client.call(findCalibratedSensors, { query: { search } })),
  );
  const sensors = found.flat().filter(({ deviceNumber }) => !NEVER_CALIBRATED.has(deviceNumber));
  await Promise.all(
    sensors.map(({ id, index, serial, deviceNumber, channels }) => {
      const random = { state: seedFrom(`certificate ${serial}`) };
      const issued = -(ISSUED_DAYS_AGO[deviceNumber] ?? 20 + Math.floor(uniform(random) * 150));
      const error = Math.round((uniform(random) - 0.5) * 4) / 10;
      return client.call(createCalibration, {
        body: {
          sensorId: id,
          certificate: `SIMT-${day(issued).slice(0, 7)}-${deviceNumber.slice(-4)}/${index}`,
          laboratory: LABORATORIES[Number(deviceNumber) % LABORATORIES.length] as string,
          calibratedOn: day(issued),
          dueOn: day(issued + VALID_DAYS),
          appliedFrom: null,
          points: channels
            .filter(({ indicator }) => indicator === 'temperature')
            .flatMap((channel) =>
              [2, 5, 8].map((reference) => ({
                channelId: channel.id,
                reference,
                reading: reference + error,
                uncertainty: 0.1,
              })),
            ),
        },
      });
    }),
  );
}
