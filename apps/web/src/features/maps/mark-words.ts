import type { MapMark } from '@isotherm/contracts/maps';
import type { AssetKind } from '@isotherm/domain/assets/asset-kind';
import { needsAttention } from '@isotherm/domain/assets/attention';
import { formatDuration } from '@isotherm/i18n/figures';
import { withUnit } from '../../shared/format/number.ts';
import type { Text } from '../../shared/i18n/use-text.ts';
import type { MarkState } from '../../shared/map/map-icons.ts';

/** Age of a position from which it is shown as stale: nobody knows where the asset is now. */
const STALE_MS = 30 * 60_000;
/** Slower is the noise of a receiver that stands still. */
const MOVING_KMH = 3;

export const MARK_TABS = ['attention', 'moving', 'standing', 'all'] as const;
export type MarkTab = (typeof MARK_TABS)[number];

export const ageOf = ({ at }: MapMark, now: number): number | null =>
  at.measuredAt === null ? null : Math.max(0, now - Date.parse(at.measuredAt));

/** True if the last position is so old that the asset may be elsewhere. A fixed place does not age. */
export const isStale = (mark: MapMark, now: number): boolean => (ageOf(mark, now) ?? 0) > STALE_MS;

export const isMoving = (mark: MapMark, now: number): boolean =>
  (mark.at.speedKmh ?? 0) >= MOVING_KMH && !isStale(mark, now);

export function isInTab(mark: MapMark, tab: MarkTab, now: number): boolean {
  switch (tab) {
    case 'attention':
      return needsAttention(mark.state);
    case 'moving':
      return isMoving(mark, now);
    case 'standing':
      return !isMoving(mark, now);
    case 'all':
      return true;
  }
}

/** Marks whose name or place contains the search, in any case. */
export function matching(marks: readonly MapMark[], search: string, kind: AssetKind | null): MapMark[] {
  const wanted = search.trim().toLocaleLowerCase();
  return marks.filter(
    (mark) =>
      (kind === null || mark.kind === kind) &&
      [mark.name, mark.place, mark.organizationName].some((text) =>
        text.toLocaleLowerCase().includes(wanted),
      ),
  );
}

export function markState({ state }: MapMark): MarkState {
  switch (state.kind) {
    case 'alarm':
    case 'ended':
    case 'pending':
      return { kind: state.kind, level: state.level };
    case 'unknown':
      return state.alarm ? { kind: 'alarm', level: state.alarm.level } : { kind: 'unknown' };
    case 'expired':
      // Nothing is evaluated, as without limits; the words say why.
      return { kind: 'unset' };
    case 'unset':
    case 'normal':
      return { kind: state.kind };
  }
}

export const valueText = ({ main }: Pick<MapMark, 'main'>): string =>
  main && main.value !== null ? withUnit(main.indicator, main.value) : '–';

/** Where the asset is and how it moves: `74 km/h · 8 s ago`. */
export function whereText(mark: MapMark, now: number, text: Text): string {
  const age = ageOf(mark, now);
  if (age === null) return mark.place || text('maps.fixed');
  const duration = formatDuration(age, text);
  if (isStale(mark, now)) return text('maps.stale', { duration });
  const ago = text('maps.ago', { duration });
  return isMoving(mark, now)
    ? `${text('maps.speed', { speed: Math.round(mark.at.speedKmh ?? 0) })} · ${ago}`
    : [mark.place, ago].filter(Boolean).join(' · ');
}
