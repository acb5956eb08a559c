import type { CallTools, Step } from './call-steps.ts';

/** Calls of the register of assets, each on an asset of its own. */
export function assetSteps({
  one,
  unique,
  demo,
  why,
}: CallTools): Record<string, () => Promise<Step> | Step> {
  const stored = (more: { deleted?: boolean } = {}) =>
    one(
      `insert into asset (organization_id, kind, code, name, deleted_at)
       values ($1, 'container', $2, $2, case when $3 then now() end) returning id`,
      [demo, unique(), more.deleted ?? false],
    );
  const form = () => ({ kind: 'container', organizationId: demo, code: unique(), name: 'Matrix' });
  const step = (json?: () => object) => async (): Promise<Step> => ({
    params: { id: await stored() },
    ...(json ? { json: json() } : {}),
    outside: 'asset.not_found',
  });
  return {
    createAsset: () => ({ json: form(), outside: 'organization.not_found' }),
    deleteAsset: step(() => why),
    editAsset: async () => ({ ...(await step(form)()), query: { version: '1' } }),
    getAssetRecord: step(),
    async listAssets() {
      const id = await stored();
      return {
        query: { kind: 'container', sort: 'createdAt', order: 'desc' },
        holds: (data) => (data as { items: { id: number }[] }).items.some((item) => item.id === id),
      };
    },
    restoreAsset: async () => ({
      params: { id: await stored({ deleted: true }) },
      outside: 'asset.not_found',
    }),
  };
}
