import { orderLogs } from '@isotherm/contracts/logs';
import type { Site } from '@isotherm/contracts/settings';
import type { Translate } from '@isotherm/i18n/translator';
import type pg from 'pg';
import type { Audit } from '../../platform/audit/audit.ts';
import type { Clock } from '../../platform/clock.ts';
import { transaction } from '../../platform/db/pool.ts';
import type { PdfHead } from '../../platform/documents/pdf.ts';
import type { Caller } from '../../platform/http/caller.ts';
import type { Mount } from '../../platform/http/mount.ts';
import type { Images } from '../../platform/images/images.ts';
import type { ResultJobs } from '../../platform/result-jobs/result-jobs.ts';
import { mountBrands } from './brands/brands.routes.ts';
import { createBrandsService, seedBrands } from './brands/brands.service.ts';
import { mountDictionary } from './dictionary/dictionary.routes.ts';
import { createDictionaryService, seedDictionaries } from './dictionary/dictionary.service.ts';
import { mountLogs } from './logs/logs.routes.ts';
import { createLogsService } from './logs/logs.service.ts';
import { mountMenus } from './menus/menus.routes.ts';
import { createMenusService, seedMenus } from './menus/menus.service.ts';
import { listOperationRows } from './operations/operations.repo.ts';
import { mountOperations } from './operations/operations.routes.ts';
import {
  createOperationsService,
  type PermissionHolders,
  seedOperations,
} from './operations/operations.service.ts';
import { createHeadReader, mountPrintHeads } from './print-heads/print-heads.service.ts';
import { type DatabaseInfo, mountSite } from './site/site.routes.ts';
import { createSiteReader, type SiteSettings } from './site/site.ts';

export interface SettingsNeeds {
  pool: pg.Pool;
  audit: Audit;
  images: Images;
  clock: Clock;
  translate: Translate;
  holders: PermissionHolders;
  /** Invalidates cached callers when permissions have changed. */
  forgetCallers(): void;
  site: SiteSettings;
  /** Counts the unread announcements of a caller. */
  unreadAnnouncements(caller: Caller): Promise<number>;
  /** Whether the environment is development or sandbox, which have extra pages and panels. */
  isTrial: boolean;
  databases: readonly DatabaseInfo[];
  /** Pool of long exports. */
  reportPool: pg.Pool;
  resultJobs: Pick<ResultJobs, 'register' | 'order'>;
}

/** Settings of the installation: menu, operations, dictionaries, brands and audit log. */
export interface Settings {
  /** Returns the public site settings for the host from which a page is served. */
  site(host: string): Promise<Site>;
  /** Finds the head of a kind of reports of an organisation; null if none was made. */
  printHeadOf(organizationId: number, kind: string): Promise<PdfHead | null>;
  mount(mount: Mount): void;
}

/**
 * Creates the settings and seeds the database with missing catalogue entries; must be called after the roles
 * were seeded.
 */
export async function createSettings(needs: SettingsNeeds): Promise<Settings> {
  const { pool, audit, images, clock, translate, holders, isTrial, resultJobs } = needs;
  const site = createSiteReader(pool, needs.site, clock);
  await transaction(pool, async (tx) => {
    await seedMenus(tx);
    await seedOperations(tx, translate);
    for (const { system, code } of await listOperationRows(tx)) if (!system) await holders.add(tx, code);
    await seedDictionaries(tx);
    await seedBrands(tx, new Date(clock.now()));
  });
  const longLogs = createLogsService(needs.reportPool, audit, translate, clock);
  resultJobs.register({
    name: 'log-export',
    permission: orderLogs.access,
    parameters: orderLogs.body,
    // The log of the own organisation and those below it may always be read with the permission.
    check: async () => undefined,
    run: (caller, query, work) => longLogs.content(caller, query, work.progress),
  });
  return {
    site: site.read,
    printHeadOf: createHeadReader(pool),
    mount(mount) {
      const operations = createOperationsService(pool, audit, holders, needs.forgetCallers);
      mountSite(mount, site, needs.databases);
      mountMenus(
        mount,
        createMenusService(pool, audit, isTrial, operations.withdrawFrom),
        needs.unreadAnnouncements,
      );
      mountOperations(mount, operations);
      mountDictionary(mount, createDictionaryService(pool, audit));
      mountBrands(mount, createBrandsService(pool, audit, images, clock, site.forget));
      mountPrintHeads(mount, {
        pool,
        audit,
        images,
        clock,
        translate,
        brand: async (host) => (await site.read(host)).title,
      });
      mountLogs(mount, createLogsService(pool, audit, translate, clock), resultJobs);
    },
  };
}
