import { listAssets } from '@isotherm/contracts/asset-registry';
import { listDevices } from '@isotherm/contracts/device-registry';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { call } from '../../shared/api/client.ts';
import { useSettled } from '../../shared/ui/form/use-settled.ts';

/** An asset or a device that matches the query. */
export interface Thing {
  key: string;
  path: string;
  title: string;
  /** Text that distinguishes the asset or device from others with the same name. */
  trail: string;
}

const AT_MOST = 6;
/** A single letter would match nearly everything. */
const LEAST_LETTERS = 2;

/**
 * Searches assets by name, code, plate or number, and devices by number, name or serial. A user who may not
 * open their pages gets no hits.
 */
export function useThings(query: string, mayOpen: { assets: boolean; devices: boolean }) {
  const search = useSettled(query.trim());
  const asks = search.length >= LEAST_LETTERS && query.trim() !== '';
  const asked = { query: { search, pageSize: AT_MOST }, quiet: true } as const;
  const assets = useQuery({
    queryKey: ['assets', 'searched', search],
    queryFn: async ({ signal }): Promise<Thing[]> =>
      (await call(listAssets, { ...asked, signal })).items.map(({ id, name, code, organizationName }) => ({
        key: `asset-${id}`,
        path: `/asset/${id}`,
        title: name,
        trail: `${code} · ${organizationName}`,
      })),
    enabled: asks && mayOpen.assets,
    placeholderData: keepPreviousData,
  });
  const devices = useQuery({
    queryKey: ['devices', 'searched', search],
    queryFn: async ({ signal }): Promise<Thing[]> =>
      (await call(listDevices, { ...asked, signal })).items.map(({ number, name, organizationName }) => ({
        key: `device-${number}`,
        path: `/device/list/${number}`,
        title: `${number} ${name}`.trim(),
        trail: organizationName,
      })),
    enabled: asks && mayOpen.devices,
    placeholderData: keepPreviousData,
  });
  return {
    assets: asks ? (assets.data ?? []) : [],
    devices: asks ? (devices.data ?? []) : [],
    /** True while the search results may still change. */
    waits: asks && (search !== query.trim() || assets.isFetching || devices.isFetching),
  };
}
