import { listAssets } from '@isotherm/contracts/asset-registry';
import { call } from '../api/client.ts';
import type { OptionSource } from '../ui/form/choice-fields.tsx';

const OFFERED = 20;

/** Assets of the registry by name, code, plate or number, to choose one while typing. */
export const assetSource: OptionSource = {
  key: ['assets', 'found'],
  search: async (search) => {
    const { items } = await call(listAssets, { query: { search, pageSize: OFFERED }, quiet: true });
    return items.map(({ id, name, code, organizationName }) => ({
      ...{ value: id, label: name, hint: `${code} · ${organizationName}` },
    }));
  },
};
