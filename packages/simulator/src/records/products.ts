import {
  createProductProfile,
  listProductProfiles,
  type ProfileInput,
} from '@isotherm/contracts/product-profiles';
import type { Recording } from './recording.ts';

type Product = Omit<Partial<ProfileInput>, 'organizationId'> &
  Pick<ProfileInput, 'name' | 'code' | 'temperatureLow' | 'temperatureHigh' | 'budget'>;

const PRODUCTS: readonly Product[] = [
  {
    name: 'Hepatitis B vaccine',
    code: 'HEPB',
    temperatureLow: 2,
    temperatureHigh: 8,
    budget: [{ low: 8, high: 25, hours: 12 }],
    mktLimit: 8,
    note: 'Never freeze',
  },
  {
    name: 'Influenza vaccine',
    code: 'FLU',
    temperatureLow: 2,
    temperatureHigh: 8,
    budget: [
      { low: 8, high: 15, hours: 48 },
      { low: 15, high: 25, hours: 8 },
    ],
    mktLimit: 8,
  },
  {
    name: 'Insulin',
    code: 'INS',
    temperatureLow: 2,
    temperatureHigh: 8,
    budget: [{ low: 8, high: 30, hours: 24 }],
  },
  {
    name: 'Red cells',
    code: 'RBC',
    temperatureLow: 2,
    temperatureHigh: 6,
    budget: [{ low: 6, high: 10, hours: 0.5 }],
  },
  { name: 'Fresh frozen plasma', code: 'FFP', temperatureLow: -80, temperatureHigh: -18, budget: [] },
  {
    name: 'Tablets at room temperature',
    code: 'TAB25',
    temperatureLow: 15,
    temperatureHigh: 25,
    humidityHigh: 75,
    budget: [{ low: 25, high: 40, hours: 24 }],
    mktLimit: 25,
  },
];

/** Creates the products that the demo stores and ships, for all of its organisations. */
export async function registerProducts({ client, organization }: Recording): Promise<void> {
  const { total } = await client.call(listProductProfiles, { query: { pageSize: '1' } });
  if (total > 0) return;
  for (const product of PRODUCTS)
    await client.call(createProductProfile, { body: { ...product, organizationId: organization('DEMO') } });
}
