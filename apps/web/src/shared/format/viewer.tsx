import { formatDuration } from '@isotherm/i18n/figures';
import type { Language } from '@isotherm/i18n/languages';
import type { TimeShape } from '@isotherm/i18n/moments';
import { createContext, useContext, useMemo } from 'react';
import { type Text, useText } from '../i18n/use-text.ts';
import { formatAge } from './duration.ts';
import { useTicking } from './now.ts';
import { browserZone, formatTime } from './time.ts';

/** The time zone in which all times are displayed. */
export const ZoneContext = createContext(browserZone());

export interface Viewer {
  text: Text;
  language: Language;
  zone: string;
  time: (moment: number | string, shape: TimeShape) => string;
}

export function useViewer(): Viewer {
  const { text, language } = useText();
  const zone = useContext(ZoneContext);
  return useMemo(
    () => ({ text, language, zone, time: (moment, shape) => formatTime(moment, shape, language, zone) }),
    [text, language, zone],
  );
}

/** Age of an event, updated while it is displayed. */
export function Age({ since }: { since: string }) {
  const { text } = useText();
  const label = useTicking((now) => formatAge(now - Date.parse(since), text));
  return <span className="number">{label}</span>;
}

/** Duration of an event, updated until it ends. */
export function Lasting({ since, until }: { since: string; until?: string | null }) {
  const { text } = useText();
  const label = useTicking((now) =>
    formatDuration((until ? Date.parse(until) : now) - Date.parse(since), text),
  );
  return <span className="number">{label}</span>;
}
