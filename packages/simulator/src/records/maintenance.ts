import { createMaintenance, listMaintenance } from '@isotherm/contracts/maintenance';
import type { Recording } from './recording.ts';

interface Visit {
  code: string;
  kind: 'inspection' | 'service' | 'repair';
  daysAgo: number;
  by: string;
  /**
   * Return pressure, discharge pressure, time between defrosts, duration of a defrost, and shutdown
   * difference.
   */
  measured?: readonly [number, number, number, number, number];
  work: string;
  nextInDays?: number;
  cost?: number;
}

const SERVICE = 'Huadong Refrigeration';
const OWN = 'Facility team';

const VISITS: readonly Visit[] = [
  {
    code: 'CS-A1',
    kind: 'service',
    daysAgo: 41,
    by: SERVICE,
    measured: [0.28, 1.35, 8, 6, 2],
    work: 'Condenser cleaned, door gasket checked.',
    nextInDays: 140,
    cost: 1_850,
  },
  {
    code: 'CS-A2',
    kind: 'service',
    daysAgo: 40,
    by: SERVICE,
    measured: [0.26, 1.42, 8, 7, 2.5],
    work: 'Condenser cleaned. Fan bearing noisy, replacement ordered.',
    nextInDays: 20,
    cost: 1_850,
  },
  {
    code: 'CS-B1',
    kind: 'inspection',
    daysAgo: 12,
    by: OWN,
    measured: [0.24, 1.3, 6, 5, 1.5],
    work: 'Nothing found.',
    nextInDays: 80,
  },
  {
    code: 'CS-C1',
    kind: 'repair',
    daysAgo: 9,
    by: SERVICE,
    measured: [0.13, 1.95, 12, 12, 4.5],
    work: 'Refrigerant low: leak at the expansion valve found and sealed, 1.2 kg refilled.',
    nextInDays: 8,
    cost: 6_240,
  },
  {
    code: 'FR-02',
    kind: 'repair',
    daysAgo: 5,
    by: OWN,
    work: 'Loose mains plug replaced by a locking one.',
    cost: 95,
  },
  {
    code: 'FR-04',
    kind: 'inspection',
    daysAgo: 30,
    by: OWN,
    work: 'Gasket worn, still tight.',
    nextInDays: 3,
  },
  {
    code: 'UL-02',
    kind: 'service',
    daysAgo: 95,
    by: SERVICE,
    work: 'Filter and battery replaced.',
    nextInDays: 270,
    cost: 2_400,
  },
  {
    code: 'TR-D8F21',
    kind: 'service',
    daysAgo: 22,
    by: SERVICE,
    measured: [0.31, 1.62, 10, 8, 3],
    work: 'Compressor belt tightened, door curtain replaced.',
    nextInDays: 68,
    cost: 980,
  },
];

export async function recordMaintenance({ client, asset, day }: Recording): Promise<void> {
  const { total } = await client.call(listMaintenance, { query: { pageSize: '1' } });
  if (total > 0) return;
  await Promise.all(
    VISITS.map(({ code, kind, daysAgo, by, measured, work, nextInDays, cost }) =>
      client.call(createMaintenance, {
        body: {
          assetId: asset(code),
          kind,
          doneOn: day(-daysAgo),
          doneBy: by,
          measured: measured
            ? {
                returnPressure: measured[0],
                dischargePressure: measured[1],
                defrostInterval: measured[2],
                defrostTime: measured[3],
                shutdownDifference: measured[4],
              }
            : {},
          work,
          nextDueOn: nextInDays === undefined ? null : day(nextInDays),
          cost: cost ?? null,
          currency: cost === undefined ? '' : 'CNY',
        },
      }),
    ),
  );
}
