import { createFloorPlan, listFloorPlans, placeOnFloorPlan } from '@isotherm/contracts/floor-plans';
import type { Recording } from './recording.ts';

interface Room {
  label: string;
  /** Corner, width and height of a room on a sheet of 1200 × 700. */
  at: readonly [x: number, y: number, width: number, height: number];
}

interface Plan {
  organization: string;
  name: string;
  floor: number;
  rooms: readonly Room[];
  /** Position of each asset on the sheet. */
  assets: Readonly<Record<string, readonly [x: number, y: number]>>;
}

const WIDTH = 1200;
const HEIGHT = 700;

const PLANS: readonly Plan[] = [
  {
    organization: 'DEMO-WAREHOUSE',
    name: 'Central warehouse',
    floor: 0,
    rooms: [
      { label: 'A', at: [40, 40, 380, 380] },
      { label: 'B', at: [420, 40, 380, 380] },
      { label: 'C', at: [800, 40, 360, 380] },
      { label: 'Q', at: [800, 420, 360, 240] },
      { label: '', at: [40, 420, 760, 240] },
    ],
    assets: {
      'CS-A1': [150, 190],
      'CS-A2': [310, 300],
      'CS-B1': [530, 190],
      'CS-B2': [690, 300],
      'CS-C1': [980, 230],
      'FZ-05': [980, 560],
      'BX-121': [300, 560],
    },
  },
  {
    organization: 'DEMO-HOSPITAL',
    name: 'Minhang District Hospital',
    floor: 1,
    rooms: [
      { label: '1', at: [40, 40, 460, 300] },
      { label: '2', at: [500, 40, 300, 300] },
      { label: '3', at: [800, 40, 360, 300] },
      { label: '', at: [40, 340, 1120, 90] },
      { label: '4', at: [40, 430, 560, 230] },
      { label: '5', at: [600, 430, 560, 230] },
    ],
    assets: {
      'FR-07': [260, 200],
      'BF-01': [650, 200],
      'UL-02': [980, 200],
      'FR-03': [310, 560],
      'CS-BB': [880, 560],
    },
  },
];

function drawingOf(rooms: readonly Room[]): string {
  const drawn = rooms.map(
    ({ label, at: [x, y, width, height] }) =>
      `<rect x="${x}" y="${y}" width="${width}" height="${height}" fill="#f6f8fa" stroke="#8a97a3" stroke-width="5"/>` +
      `<rect x="${x + width / 2 - 35}" y="${y + height - 4}" width="70" height="8" fill="#f6f8fa"/>` +
      (label === ''
        ? ''
        : `<text x="${x + 22}" y="${y + 52}" font-family="sans-serif" font-size="34" fill="#8a97a3">${label}</text>`),
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}"><rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>${drawn.join('')}</svg>`;
}

export async function drawFloorPlans({ client, organization, asset }: Recording): Promise<void> {
  const { total } = await client.call(listFloorPlans, { query: { pageSize: '1' } });
  if (total > 0) return;
  for (const { organization: code, name, floor, rooms, assets } of PLANS) {
    const file = new File([drawingOf(rooms)], `${name}.svg`);
    const { id, version } = await client.call(createFloorPlan, {
      body: { file, organizationId: organization(code), name, floor },
    });
    await client.call(placeOnFloorPlan, {
      path: `/asset/floor-plan/${id}/point`,
      query: { version: String(version) },
      body: {
        points: Object.entries(assets).map(([each, [x, y]]) => ({
          assetId: asset(each),
          channelId: null,
          x: x / WIDTH,
          y: y / HEIGHT,
        })),
      },
    });
  }
}
