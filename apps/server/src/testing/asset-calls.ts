import type { CallTools, Step } from './call-steps.ts';

/** A PNG with one white pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
);
const PDF = Buffer.from('%PDF-1.4\n');

/** Returns the calls of the asset registry, each with its own asset. */
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
  async function document(): Promise<number> {
    const id = await one(
      `insert into asset_file (asset_id, kind, name) values ($1, 'manual', 'Matrix') returning id`,
      [await stored()],
    );
    return one(
      `insert into asset_file_version (file_id, number, media_type, bytes, note, uploaded_by, uploaded_at)
       values ($1, 1, 'application/pdf', $2, '', 'test', now()) returning file_id as id`,
      [id, PDF],
    );
  }
  const file = { name: 'manual.pdf', bytes: PDF };
  const fileStep =
    (more: Partial<Step> = {}) =>
    async (): Promise<Step> => ({
      params: { id: await document(), number: 1 },
      outside: 'file.not_found',
      ...more,
    });
  const group = () =>
    one(
      `with made as (select nextval(pg_get_serial_sequence('asset_group', 'id')) as id)
       insert into asset_group (id, organization_id, path, name) overriding system value
       select id, $1, '/' || id || '/', 'Matrix' from made returning id`,
      [demo],
    );
  const groupStep = (json: object) => async (): Promise<Step> => ({
    params: { id: await group() },
    json,
    outside: 'group.not_found',
  });
  const plan = () =>
    one(
      `insert into floor_plan (organization_id, name, floor, media_type, picture, width, height, changed_by, changed_at)
       values ($1, 'Matrix', 0, 'image/svg+xml', '<svg/>', 10, 10, 'test', now()) returning id`,
      [demo],
    );
  const picture = { name: 'plan.png', bytes: PNG };
  const planStep =
    (more: Partial<Step> = {}) =>
    async (): Promise<Step> => ({ params: { id: await plan() }, outside: 'floor_plan.not_found', ...more });
  let tags = 0;
  const nextUid = () => String(++tags).padStart(8, '0');
  async function tag(): Promise<string> {
    const uid = nextUid();
    await one(
      `insert into nfc_tag (uid, asset_id, bound_by, bound_at) values ($1, $2, 'test', now())
       returning asset_id as id`,
      [uid, await stored()],
    );
    return uid;
  }
  return {
    bindNfcTag: async () => ({
      json: { uid: nextUid(), assetId: await stored() },
      outside: 'asset.not_found',
    }),
    findNfcTag: async () => ({ params: { uid: await tag() }, outside: 'nfc.not_found' }),
    async listNfcTags() {
      const uid = await tag();
      return { holds: (data) => JSON.stringify(data).includes(uid) };
    },
    unbindNfcTag: async () => ({ params: { uid: await tag() }, json: why, outside: 'nfc.not_found' }),
    createFloorPlan: () => ({
      fields: { file: picture, organizationId: String(demo), name: 'Matrix' },
      outside: 'organization.not_found',
    }),
    deleteFloorPlan: planStep({ json: why }),
    editFloorPlan: planStep({ query: { version: '1' }, json: { name: 'Renamed', floor: 1 } }),
    getFloorPlan: planStep(),
    listFloorPlanValues: planStep(),
    async listFloorPlans() {
      const id = await plan();
      return {
        query: { pageSize: '200' },
        holds: (data) => JSON.stringify(data).includes(`"id":${id},`),
      };
    },
    listPlaceable: planStep(),
    placeOnFloorPlan: planStep({ query: { version: '1' }, json: { points: [] } }),
    readFloorPlanPicture: planStep(),
    replaceFloorPlanPicture: planStep({ fields: { file: picture } }),
    changeGroupMembers: async () => ({ ...(await groupStep({ add: [await stored()] })()) }),
    createAssetGroup: () => ({
      json: { organizationId: demo, name: 'Matrix' },
      outside: 'organization.not_found',
    }),
    deleteAssetGroup: groupStep(why),
    editAssetGroup: groupStep({ name: 'Renamed' }),
    getAssetTree: () => ({ holds: (data) => JSON.stringify(data).includes(`"id":${demo},`) }),
    async listAssetGroups() {
      const id = await group();
      return { holds: (data) => JSON.stringify(data).includes(`"id":${id},`) };
    },
    addFileVersion: fileStep({ fields: { file } }),
    deleteAssetFile: fileStep({ json: why }),
    getAssetFile: fileStep(),
    async listAssetFiles() {
      const id = await document();
      return { holds: (data) => JSON.stringify(data).includes(`"id":${id},`) };
    },
    readAssetFile: fileStep(),
    async uploadAssetFile() {
      return { ...(await step()()), fields: { file, kind: 'manual', name: 'Matrix' } };
    },
    async exportAssets() {
      await stored();
      return {
        query: { kind: 'container', search: 'Matrix' },
        holds: (data) => (data as { rows: number }).rows > 0,
      };
    },
    getAssetTemplate: () => ({ query: { kind: 'container' } }),
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
    async searchRecords() {
      const name = unique();
      await one('update asset set name = $2 where id = $1 returning id', [await stored(), name]);
      return { query: { search: name }, holds: (data) => JSON.stringify(data).includes(name) };
    },
    changeAssetStatus: step(() => ({ from: 'normal', to: 'deactivated', ...why })),
    async listStatusChanges() {
      const id = await stored();
      await one(
        `insert into asset_status_change (asset_id, from_status, to_status, deed, reason, changed_by, changed_at)
         values ($1, 'normal', 'scrapped', 'scrap', 'Matrix', 'test', now()) returning id`,
        [id],
      );
      return { query: { deed: 'scrap' }, holds: (data) => JSON.stringify(data).includes(`"assetId":${id},`) };
    },
    restoreAsset: async () => ({
      params: { id: await stored({ deleted: true }) },
      outside: 'asset.not_found',
    }),
  };
}
