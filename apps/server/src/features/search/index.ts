import { getHeldPermissions, type SearchResult, searchRecords } from '@isotherm/contracts/search';
import {
  alarmNumber,
  MOST_HITS,
  SEARCH_PERMISSION,
  type SearchKind,
  searchedText,
} from '@isotherm/domain/search/kinds';
import type pg from 'pg';
import type { Clock } from '../../platform/clock.ts';
import type { Caller } from '../../platform/http/caller.ts';
import type { Mount } from '../../platform/http/mount.ts';
import { searchAnnouncements } from '../announcements/index.ts';
import {
  findAlarms,
  findAssets,
  findDevices,
  findReports,
  findWaybills,
  type Search,
} from './search.repo.ts';

const NONE = { items: [], hasMore: false };

/** The search of the console: records of every kind that the caller may see, in one response (docs/search.md). */
export function createSearch({ pool, clock }: { pool: pg.Pool; clock: Clock }): {
  mount(mount: Mount): void;
} {
  /**
   * Finds records of one kind, and is the only place that decides whether a caller may see them: the permission here, the
   * organisations by the scope in `Search`.
   */
  async function only<T>(
    caller: Caller,
    kind: SearchKind,
    text: string,
    find: (search: Search) => Promise<T[]>,
  ): Promise<{ items: T[]; hasMore: boolean } | null> {
    if (!caller.permissions.has(SEARCH_PERMISSION[kind])) return null;
    if (text === '') return NONE;
    const found = await find({ scope: caller.scope, text, limit: MOST_HITS + 1 });
    return { items: found.slice(0, MOST_HITS), hasMore: found.length > MOST_HITS };
  }

  async function search(caller: Caller, typed: string): Promise<SearchResult> {
    const text = searchedText(typed);
    const [assets, devices, alarms, waybills, reports, announcements] = await Promise.all([
      only(caller, 'assets', text, (asked) => findAssets(pool, asked)),
      only(caller, 'devices', text, (asked) => findDevices(pool, asked)),
      only(caller, 'alarms', text, async (asked) =>
        (await findAlarms(pool, asked, alarmNumber(text))).map((row) => ({
          ...row,
          raisedAt: row.raisedAt.toISOString(),
        })),
      ),
      only(caller, 'waybills', text, (asked) => findWaybills(pool, asked)),
      only(caller, 'reports', text, async (asked) =>
        (await findReports(pool, asked)).map((row) => ({ ...row, createdAt: row.createdAt.toISOString() })),
      ),
      only(caller, 'announcements', text, (asked) =>
        searchAnnouncements(pool, caller, asked.text, asked.limit, new Date(clock.now())),
      ),
    ]);
    return { assets, devices, alarms, waybills, reports, announcements };
  }

  return {
    mount(mount) {
      mount(searchRecords, ({ caller, query }) => search(caller, query.search));
      mount(getHeldPermissions, async ({ caller }) => ({ permissions: [...caller.permissions].sort() }));
    },
  };
}
