import type { Brand } from '@isotherm/contracts/brands';
import type { Site } from '@isotherm/contracts/settings';
import type pg from 'pg';
import type { Clock } from '../../../platform/clock.ts';
import { listBrandRows } from '../brands/brands.repo.ts';
import { chooseBrand } from '../brands/choose-brand.ts';

export interface SiteSettings {
  environment: Site['environment'];
  salt: string;
  languagePicker: boolean;
  baseMap: Site['map'];
}

export const VERSION = 'v1.0.0';
/** Maximum age of the cached settings, since another process may have changed a brand. */
const KNOWN_FOR_MS = 5_000;

export interface SiteReader {
  /** Returns the site settings that the console needs before login, by host. */
  read(host: string): Promise<Site>;
  forget(): void;
}

export function createSiteReader(pool: pg.Pool, settings: SiteSettings, clock: Clock): SiteReader {
  let known: { brands: Brand[]; registration: boolean; until: number } | null = null;

  async function load() {
    const now = clock.now();
    if (known && known.until > now) return known;
    const [brands, { rows }] = await Promise.all([
      listBrandRows(pool),
      pool.query<{ enabled: boolean }>('select enabled from registration_setting'),
    ]);
    known = { brands, registration: rows[0]?.enabled ?? false, until: now + KNOWN_FOR_MS };
    return known;
  }

  return {
    async read(host) {
      // During a database outage the last known settings are served; the page itself shows that it is stale.
      const { brands, registration } = await load().catch((error) => {
        if (known) return known;
        throw error;
      });
      const brand = chooseBrand(brands, settings.environment, host);
      if (!brand) throw new Error('there is no brand that fits everything');
      const { title, collapsedTitle, pageTitle, loginLogo, menuLogo, showAppDownload } = brand;
      const { appDownloadUrl, wechatAccount, supportNote, filing, copyrightEntity } = brand;
      return {
        environment: settings.environment,
        salt: settings.salt,
        languagePicker: settings.languagePicker,
        version: VERSION,
        title,
        collapsedTitle,
        pageTitle,
        loginLogo,
        menuLogo,
        showAppDownload,
        appDownloadUrl,
        wechatAccount,
        supportNote,
        filing,
        copyright: `© ${new Date(clock.now()).getUTCFullYear()} ${copyrightEntity}`,
        registration,
        map: settings.baseMap,
      };
    },
    forget() {
      known = null;
    },
  };
}
