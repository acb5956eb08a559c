import {
  createValidationStudy,
  createVerifierUnit,
  judgeValidationStudy,
  listStudyChannels,
  listValidationStudies,
} from '@isotherm/contracts/validation-studies';
import type { Recording } from './recording.ts';

const DAY_MS = 86_400_000;
/** Minimum duration in days of a study in an empty store. */
const MAPPED_DAYS = 3;

/** Creates one study that passed, one with uncalibrated sensors, and one that is planned. */
export async function recordStudies(recording: Recording): Promise<void> {
  const { client, organization, asset, startMs, historyDays, day } = recording;
  const { total } = await client.call(listValidationStudies, { query: { pageSize: '1' } });
  if (total > 0) return;
  const unit = await client.call(createVerifierUnit, {
    body: {
      organizationId: organization('DEMO'),
      name: 'Huadong Validation Services',
      qualification: 'CNAS L12071',
      contact: 'Service desk',
      phone: '021-55501234',
    },
  });
  const zone = { zoneMin: 2, zoneMax: 8 };
  const at = (days: number) => new Date(startMs + days * DAY_MS).toISOString();
  const plan = async (
    code: string,
    study: { name: string; type: 'full' | 'empty' | 'periodic'; from: string; to: string; note: string },
  ) => {
    const assetId = asset(code);
    const channels = await client.call(listStudyChannels, { query: { assetId: String(assetId) } });
    return client.call(createValidationStudy, {
      body: {
        ...study,
        ...zone,
        assetId,
        verifierUnitId: unit.id,
        dueOn: day(360),
        channels: channels.map(({ id }) => id),
      },
    });
  };
  const length = Math.min(MAPPED_DAYS, historyDays / 2);
  const past = [
    await plan('CS-A1', {
      name: 'Cold store A-1, winter mapping, empty',
      type: 'empty',
      from: at(-length - historyDays / 4),
      to: at(-historyDays / 4),
      note: 'Door closed except for the daily inspection.',
    }),
    await plan('FR-07', {
      name: 'Vaccine fridge 07, periodic',
      type: 'periodic',
      from: at(-length - historyDays / 8),
      to: at(-historyDays / 8),
      note: '',
    }),
  ];
  await plan('TR-71K03', {
    name: 'Truck HU-B 71K03, full load',
    type: 'full',
    from: at(12),
    to: at(13),
    note: 'With simulated load, on the hospital round.',
  });
  for (const { id } of past) await client.call(judgeValidationStudy, { path: `/validation/${id}/judge` });
}
