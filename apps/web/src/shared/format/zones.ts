import { currentZones } from '@isotherm/contracts/time-zones';
import type { Language } from '@isotherm/i18n/languages';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useText } from '../i18n/use-text.ts';
import { browserZone, offsetName, zoneOffsetMinutes } from './time.ts';

type Cities = Readonly<Record<string, string>>;

/** City names: one chunk per language, loaded by pages that show time zones. */
const CITIES: Record<Language, () => Promise<{ CITIES: Cities }>> = {
  en: () => import('@isotherm/i18n/zone-cities/en.gen'),
  es: () => import('@isotherm/i18n/zone-cities/es.gen'),
  'zh-CN': () => import('@isotherm/i18n/zone-cities/zh-CN.gen'),
  'zh-TW': () => import('@isotherm/i18n/zone-cities/zh-TW.gen'),
};
const NO_CITIES: Cities = {};

const citiesQuery = (language: Language) =>
  queryOptions({
    queryKey: ['zone-cities', language],
    queryFn: async () => (await CITIES[language]()).CITIES,
    staleTime: Number.POSITIVE_INFINITY,
  });

/** Returns the display name of a zone: `Asia/Ho Chi Minh`. */
export function zoneName(zone: string): string {
  return zone.replaceAll('_', ' ');
}

/**
 * Returns a function that gives the city of a zone in the user's language. Until the cities are loaded, it
 * is derived from the zone's name.
 */
export function useZoneCity(): (zone: string) => string {
  const { language } = useText();
  const { data: cities = NO_CITIES } = useQuery(citiesQuery(language));
  return useMemo(() => (zone) => cities[zone] ?? zoneName(zone.slice(zone.lastIndexOf('/') + 1)), [cities]);
}

/** Returns all zones that the browser knows, with city and current offset, starting at UTC−12. */
export function useZoneOptions(): readonly { value: string; label: string }[] {
  const cityOf = useZoneCity();
  return useMemo(() => {
    const now = Date.now();
    return [...new Set([browserZone(), ...currentZones()])]
      .map((value) => ({ value, offset: zoneOffsetMinutes(value, now) }))
      .sort((a, b) => a.offset - b.offset || a.value.localeCompare(b.value))
      .map(({ value, offset }) => ({
        value,
        label: `${cityOf(value)} · ${zoneName(value)} (${offsetName(offset)})`,
      }));
  }, [cityOf]);
}
