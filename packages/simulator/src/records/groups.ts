import { changeGroupMembers, createAssetGroup, listAssetGroups } from '@isotherm/contracts/asset-groups';
import type { Recording } from './recording.ts';

interface Group {
  name: string;
  description: string;
  assets: readonly string[];
  below?: readonly Group[];
}

const GROUPS: readonly Group[] = [
  {
    name: 'Vaccines',
    description: 'Everything under the immunisation programme',
    assets: [],
    below: [
      {
        name: 'Clinic refrigerators',
        description: 'Refrigerators of the health centres and clinics',
        assets: ['FR-01', 'FR-02', 'FR-03', 'FR-04', 'FR-07'],
      },
      {
        name: 'Mobile teams',
        description: 'Cold boxes for outreach sessions',
        assets: ['BX-112', 'BX-114', 'BX-117', 'BX-121'],
      },
    ],
  },
  {
    name: 'Blood bank',
    description: 'Red cells, plasma and samples',
    assets: ['CS-BB', 'BF-01', 'UL-02'],
  },
  {
    name: 'Frozen goods',
    description: 'Storage and transport at −20 °C',
    assets: ['CS-C1', 'FZ-05', 'TR-7E115'],
  },
  {
    name: 'Long-distance transport',
    description: 'Trucks and containers between cities',
    assets: ['TR-D8F21', 'TR-6C902', 'TR-330F8', 'RC-441027'],
  },
];

export async function groupAssets({ client, organization, asset }: Recording): Promise<void> {
  const known = new Set((await client.call(listAssetGroups)).map(({ name }) => name));
  const organizationId = organization('DEMO');
  const create = async (group: Group, parentId: number | null): Promise<void> => {
    const { name, description, assets, below = [] } = group;
    const { id } = await client.call(createAssetGroup, {
      body: { organizationId, parentId, name, description },
    });
    if (assets.length > 0)
      await client.call(changeGroupMembers, {
        path: `/asset/group/${id}/member`,
        body: { add: assets.map(asset) },
      });
    await Promise.all(below.map((each) => create(each, id)));
  };
  await Promise.all(GROUPS.filter(({ name }) => !known.has(name)).map((group) => create(group, null)));
}
