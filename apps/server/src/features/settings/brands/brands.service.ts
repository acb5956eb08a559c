import type { Brand } from '@isotherm/contracts/brands';
import { AppError } from '@isotherm/contracts/errors';
import type pg from 'pg';
import type { Audit } from '../../../platform/audit/audit.ts';
import type { Clock } from '../../../platform/clock.ts';
import { type Db, isDuplicate, type Tx, transaction } from '../../../platform/db/pool.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import type { Images } from '../../../platform/images/images.ts';
import {
  type BrandFields,
  deleteBrandRow,
  findBrand,
  insertBrand,
  type LogoPlace,
  listBrandRows,
  setLogo,
  updateBrand,
} from './brands.repo.ts';

export interface BrandsService {
  list(): Promise<Brand[]>;
  create(caller: Caller, fields: BrandFields): Promise<Brand>;
  edit(caller: Caller, id: number, fields: BrandFields): Promise<Brand>;
  /** Sets a logo; null `bytes` restores the product's own logo. */
  setLogo(caller: Caller, id: number, place: LogoPlace, bytes: Uint8Array | null): Promise<Brand>;
  remove(caller: Caller, id: number): Promise<null>;
}

/**
 * Creates the service for brands. `onChanged` is called after each change, because the login page shows the
 * brand.
 */
export function createBrandsService(
  pool: pg.Pool,
  audit: Pick<Audit, 'record'>,
  images: Pick<Images, 'store'>,
  clock: Clock,
  onChanged: () => void,
): BrandsService {
  const now = () => new Date(clock.now());

  async function find(db: Db, id: number): Promise<Brand> {
    const brand = await findBrand(db, id);
    if (!brand) throw new AppError('brand.not_found');
    return brand;
  }

  async function changing<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    try {
      return await transaction(pool, work);
    } catch (error) {
      if (isDuplicate(error, 'brand_environment_host_key'))
        throw new AppError('brand.taken', {}, { cause: error });
      throw error;
    } finally {
      onChanged();
    }
  }

  async function recordChange(tx: Tx, caller: Caller, before: Brand): Promise<Brand> {
    const after = await find(tx, before.id);
    const { updatedAt: _before, ...old } = before;
    const { updatedAt: _after, ...fresh } = after;
    await audit.record(tx, caller, {
      action: 'change',
      ...objectOf(after, caller),
      before: old,
      after: fresh,
    });
    return after;
  }

  return {
    list: () => listBrandRows(pool),
    /** Throws `brand.taken`. */
    create: (caller, fields) =>
      changing(async (tx) => {
        const made = await find(tx, await insertBrand(tx, fields, now()));
        await audit.record(tx, caller, { action: 'create', ...objectOf(made, caller), after: made });
        return made;
      }),
    /** Throws `brand.not_found|taken|fallback`. */
    edit: (caller, id, fields) =>
      changing(async (tx) => {
        const before = await find(tx, id);
        if (before.fallback && (fields.environment !== null || fields.host !== null))
          throw new AppError('brand.fallback');
        await updateBrand(tx, id, fields, now());
        return recordChange(tx, caller, before);
      }),
    /** Throws `brand.not_found`, `upload.*`. */
    async setLogo(caller, id, place, bytes) {
      const before = await find(pool, id);
      const url = bytes ? await images.store(pool, bytes, { use: 'logo', caller }) : '';
      return changing(async (tx) => {
        await setLogo(tx, id, place, url, now());
        return recordChange(tx, caller, before);
      });
    },
    /** Throws `brand.not_found|fallback`. */
    remove: (caller, id) =>
      changing(async (tx) => {
        const before = await find(tx, id);
        if (before.fallback) throw new AppError('brand.fallback');
        await deleteBrandRow(tx, id);
        await audit.record(tx, caller, { action: 'delete', ...objectOf(before, caller), before });
        return null;
      }),
  };
}

function objectOf(brand: Brand, caller: Caller) {
  return {
    objectKind: 'brand',
    objectId: brand.id,
    objectName: [brand.title, brand.environment, brand.host].filter(Boolean).join(' · '),
    organizationPath: caller.scope,
  };
}

const DEFAULT_TITLE = 'Overseas Cloud';

function brandNamed(
  environment: BrandFields['environment'],
  title: string,
  collapsedTitle: string,
): BrandFields {
  return {
    environment,
    host: null,
    title,
    collapsedTitle,
    pageTitle: title,
    copyrightEntity: title,
    filing: '',
    showAppDownload: false,
    appDownloadUrl: '',
    wechatAccount: '',
    supportNote: '',
  };
}

/**
 * Creates the brands of requirements §1, on an installation without any: default "Overseas Cloud"; scm and
 * zkscool collapse to "SCM"; zeek has its own title. Filing and app download are off.
 */
export async function seedBrands(tx: Tx, now: Date): Promise<void> {
  if ((await listBrandRows(tx)).length > 0) return;
  await insertBrand(tx, brandNamed(null, DEFAULT_TITLE, DEFAULT_TITLE), now, true);
  await insertBrand(tx, brandNamed('scm', DEFAULT_TITLE, 'SCM'), now);
  await insertBrand(tx, brandNamed('zkscool', DEFAULT_TITLE, 'SCM'), now);
  await insertBrand(tx, brandNamed('zeek', 'Zeek', 'Zeek'), now);
}
