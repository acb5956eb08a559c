import type { AlarmLevel } from '@isotherm/domain/alarms/alarm-level';

/** Colours of a map, which is drawn without CSS. */
export interface MapColours {
  font: string;
  text: string;
  textSecondary: string;
  container: string;
  border: string;
  line: string;
  water: string;
  land: string;
  outline: string;
  unknown: string;
  accent: string;
  level: (level: AlarmLevel, part: 'fg' | 'border' | 'solid' | 'on') => string;
}

/** Reads the design tokens from the page. It is called again when the theme changes. */
export function readMapColours(): MapColours {
  const style = getComputedStyle(document.documentElement);
  const value = (name: string) => style.getPropertyValue(name).trim();
  return {
    font: value('--font'),
    text: value('--text-primary'),
    textSecondary: value('--text-secondary'),
    container: value('--bg-container'),
    border: value('--border-default'),
    line: value('--border-control'),
    water: value('--band-fill'),
    land: value('--bg-sunken'),
    outline: value('--border-default'),
    unknown: value('--unknown-fg'),
    accent: value('--accent-base'),
    level: (level, part) => value(`--alarm-${level}-${part}`),
  };
}
