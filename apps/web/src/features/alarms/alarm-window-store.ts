import type { Alarm } from '@isotherm/contracts/alarms';
import { create } from 'zustand';
import { serverNow } from '../../shared/api/clock.ts';
import { readSession } from '../../shared/api/session.ts';

/** The window shows recent alarms only; the list page has all of them. */
const KEEPS = 100;
const PLACE_KEY = 'isotherm.alarm-window.place';
const MUTED_KEY = 'isotherm.alarm-window.muted';

/** Distance of the window from the right and bottom edges of the screen, in px. */
export interface Place {
  right: number;
  bottom: number;
}
export const FIRST_PLACE: Place = { right: 24, bottom: 24 };

export interface AlarmWindowState {
  /** Listed alarms, the newest first. */
  alarms: readonly Alarm[];
  /** Number on the badge: alarms that arrived since the last *Clear* (decision 35). */
  arrived: number;
  open: boolean;
}

/**
 * Adds newly arrived alarms (event `0003`) on top of the list, counts them and opens the window
 * (requirements §4).
 */
export function withArrived(state: AlarmWindowState, arrived: readonly Alarm[]): AlarmWindowState {
  const known = new Set(state.alarms.map(({ id }) => id));
  const fresh = arrived.filter(({ id }) => !known.has(id));
  if (fresh.length === 0) return state;
  const alarms = [...fresh, ...state.alarms].slice(0, KEEPS);
  return { alarms, arrived: state.arrived + fresh.length, open: true };
}

/**
 * Adds alarms that arrived after the last *Clear*, before this page was opened. They are listed and counted,
 * but do not open the window.
 */
export function withEarlier(state: AlarmWindowState, earlier: readonly Alarm[]): AlarmWindowState {
  return { ...withArrived(state, earlier), open: state.open };
}

/** Adds alarms that were already open. They are listed below newer ones and not counted. */
export function withStanding(state: AlarmWindowState, standing: readonly Alarm[]): AlarmWindowState {
  const known = new Set(state.alarms.map(({ id }) => id));
  const older = standing.filter(({ id }) => !known.has(id));
  return { ...state, alarms: [...state.alarms, ...older].slice(0, KEEPS) };
}

/** Updates an alarm if it is listed. */
export function withChanged(state: AlarmWindowState, alarm: Alarm): AlarmWindowState {
  if (!state.alarms.some(({ id }) => id === alarm.id)) return state;
  return { ...state, alarms: state.alarms.map((each) => (each.id === alarm.id ? alarm : each)) };
}

/** Empties the list and the count (requirements §4, Clear). */
export function cleared(state: AlarmWindowState): AlarmWindowState {
  return { ...state, alarms: [], arrived: 0 };
}

interface Store extends AlarmWindowState {
  muted: boolean;
  place: Place;
  arrive: (alarms: readonly Alarm[]) => boolean;
  recall: (alarms: readonly Alarm[]) => void;
  stand: (alarms: readonly Alarm[]) => void;
  change: (alarm: Alarm) => void;
  clear: () => void;
  show: (open: boolean) => void;
  toggle: () => void;
  mute: (muted: boolean) => void;
  moveTo: (place: Place) => void;
}

/** The key contains the user, because several users of one browser clear separately. */
function clearedKey(): string {
  return `isotherm.alarm-window.cleared.${readSession()?.username ?? ''}`;
}

/** Server time from which arrivals are counted: the last *Clear*, or else the first use of the window. */
export function clearedAt(): number {
  const stored = Date.parse(localStorage.getItem(clearedKey()) ?? '');
  if (Number.isFinite(stored)) return stored;
  const now = serverNow();
  localStorage.setItem(clearedKey(), new Date(now).toISOString());
  return now;
}

function storedPlace(): Place {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(PLACE_KEY) ?? 'null');
    const { right, bottom } = (stored ?? {}) as Partial<Place>;
    if (Number.isFinite(right) && Number.isFinite(bottom))
      return { right: Number(right), bottom: Number(bottom) };
  } catch {
    // If the stored value cannot be read, it is treated as missing.
  }
  return FIRST_PLACE;
}

export const useAlarmWindow = create<Store>((set, get) => ({
  alarms: [],
  arrived: 0,
  open: false,
  muted: localStorage.getItem(MUTED_KEY) === '1',
  place: storedPlace(),
  /** Returns true if any of the alarms was new. */
  arrive: (alarms) => {
    const before = get();
    const after = withArrived(before, alarms);
    set(after);
    return after.alarms !== before.alarms;
  },
  recall: (alarms) => set((state) => withEarlier(state, alarms)),
  stand: (alarms) => set((state) => withStanding(state, alarms)),
  change: (alarm) => set((state) => withChanged(state, alarm)),
  clear: () => {
    localStorage.setItem(clearedKey(), new Date(serverNow()).toISOString());
    set(cleared);
  },
  show: (open) => set({ open }),
  toggle: () => set((state) => ({ open: !state.open })),
  mute: (muted) => {
    localStorage.setItem(MUTED_KEY, muted ? '1' : '0');
    set({ muted });
  },
  moveTo: (place) => {
    localStorage.setItem(PLACE_KEY, JSON.stringify(place));
    set({ place });
  },
}));
