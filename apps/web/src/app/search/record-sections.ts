import type { SearchResult } from '@isotherm/contracts/search';
import type { AlarmLevel } from '@isotherm/domain/alarms/alarm-level';
import { SEARCH_KINDS, type SearchKind } from '@isotherm/domain/search/kinds';
import { faultWords } from '@isotherm/i18n/alarm-words';
import type { Viewer } from '../../shared/format/viewer.tsx';
import type { IconName } from '../../shared/ui/icon.tsx';

/** A result of the search: a page, an action, a record, or the list with all records. */
export interface Entry {
  key: string;
  path: string;
  icon: IconName;
  /** Level of an alarm, shown instead of the icon. */
  level?: AlarmLevel;
  title: string;
  /** Text that distinguishes the result from others with the same title. */
  trail: string;
  /** Route name of the page; absent if the result is not a page. */
  page?: string;
}

export interface Section {
  key: string;
  title: string;
  entries: readonly Entry[];
}

/** Pages with the list of a kind, the first one that the user may open. */
const LISTS: Record<SearchKind, readonly string[]> = {
  assets: ['monitor'],
  devices: ['device-list'],
  alarms: ['alarm-graded', 'alarm-current'],
  waybills: ['waybill-list'],
  reports: ['report-register'],
  announcements: ['announcement-list'],
};

/** A page of the menu by its name. */
type FindPage = (name: string) => { path: string; title: string } | undefined;

/** Returns the found records by kind, each with a link to the list in which the search is filled in. */
export function recordSections(
  found: SearchResult,
  query: string,
  viewer: Viewer,
  pageOf: FindPage,
): Section[] {
  const { text } = viewer;
  const entries = entriesOf(found, viewer);
  return SEARCH_KINDS.flatMap((kind): Section[] => {
    const shown = entries[kind];
    if (shown.length === 0) return [];
    const list = LISTS[kind].map(pageOf).find((page) => page !== undefined);
    const all: Entry[] =
      list && shown.length > 1
        ? [
            {
              key: `all-${kind}`,
              path: `${list.path}?q=${encodeURIComponent(query.trim())}`,
              icon: 'right',
              title: text('search.all', { page: list.title }),
              trail: '',
            },
          ]
        : [];
    return [{ key: kind, title: text(`search.group.${kind}`), entries: [...shown, ...all] }];
  });
}

function entriesOf(found: SearchResult, { text, time }: Viewer): Record<SearchKind, Entry[]> {
  return {
    assets:
      found.assets?.items.map(({ id, name, code, organizationName }) => ({
        key: `asset-${id}`,
        path: `/asset/${id}`,
        icon: 'assets',
        title: name,
        trail: `${code} · ${organizationName}`,
      })) ?? [],
    devices:
      found.devices?.items.map(({ number, name, organizationName }) => ({
        key: `device-${number}`,
        path: `/device/list/${number}`,
        icon: 'devices',
        title: `${number} ${name}`.trim(),
        trail: organizationName,
      })) ?? [],
    alarms:
      found.alarms?.items.map(({ id, assetName, level, kind, indicator, raisedAt }) => ({
        key: `alarm-${id}`,
        path: `/alarm/${id}`,
        icon: 'alarms',
        level,
        title: text('search.alarm', { id: String(id), asset: assetName }),
        trail: `${faultWords(indicator, kind, text)} · ${time(raisedAt, 'date-time')}`,
      })) ?? [],
    waybills:
      found.waybills?.items.map(({ id, number, state, consigneeUnit }) => ({
        key: `waybill-${id}`,
        path: `/waybill/list/${id}`,
        icon: 'vehicle',
        title: number,
        trail: `${consigneeUnit} · ${text(`waybills.state.${state}`)}`,
      })) ?? [],
    reports:
      found.reports?.items.map(({ id, number, kind, subject }) => ({
        key: `report-${id}`,
        path: `/report/register?q=${encodeURIComponent(number)}`,
        icon: 'page',
        title: `${number} ${subject}`,
        trail: text(`reports.kind.${kind}`),
      })) ?? [],
    announcements:
      found.announcements?.items.map(({ id, title, organizationName, publishedAt }) => ({
        key: `announcement-${id}`,
        path: `/announcement/list?announcement=${id}`,
        icon: 'announcements',
        title,
        trail: `${organizationName} · ${time(publishedAt, 'date')}`,
      })) ?? [],
  };
}
