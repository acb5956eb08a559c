import { describe, expect, it } from 'vitest';
import { anAlarm } from '../../shared/testing/data.ts';
import {
  type AlarmWindowState,
  cleared,
  withArrived,
  withChanged,
  withEarlier,
  withStanding,
} from './alarm-window-store.ts';

const EMPTY: AlarmWindowState = { alarms: [], arrived: 0, open: false };
const ids = (state: AlarmWindowState) => state.alarms.map(({ id }) => id);

describe('the alarm window', () => {
  it('puts an alarm on top, counts it and opens', () => {
    const one = withArrived(EMPTY, [anAlarm({ id: 1 })]);
    const two = withArrived(one, [anAlarm({ id: 2 })]);
    expect(ids(two)).toEqual([2, 1]);
    expect(two).toMatchObject({ arrived: 2, open: true });
  });

  it('counts an alarm once that arrives by socket and by catch-up', () => {
    const one = withArrived(EMPTY, [anAlarm({ id: 1 })]);
    expect(withArrived(one, [anAlarm({ id: 1 })])).toBe(one);
  });

  it('counts earlier arrivals without opening', () => {
    const state = withEarlier(EMPTY, [anAlarm({ id: 1 })]);
    expect(state).toMatchObject({ arrived: 1, open: false });
    expect(ids(state)).toEqual([1]);
  });

  it('keeps the newest hundred', () => {
    const many = Array.from({ length: 130 }, (_, index) => anAlarm({ id: 1000 - index }));
    const state = withArrived(EMPTY, many);
    expect(state.alarms).toHaveLength(100);
    expect(state.alarms[0]?.id).toBe(1000);
    expect(state.arrived).toBe(130);
  });

  it('follows changes of listed alarms, and of no others', () => {
    const state = withArrived(EMPTY, [anAlarm({ id: 1 })]);
    expect(withChanged(state, anAlarm({ id: 1, state: 'ended' })).alarms[0]?.state).toBe('ended');
    expect(withChanged(state, anAlarm({ id: 2 }))).toBe(state);
  });

  it('lists alarms that were already open below new ones, uncounted, and stays closed', () => {
    const state = withStanding(EMPTY, [anAlarm({ id: 7 }), anAlarm({ id: 6 })]);
    expect(ids(state)).toEqual([7, 6]);
    expect(state).toMatchObject({ arrived: 0, open: false });
    const both = withStanding(withArrived(EMPTY, [anAlarm({ id: 7 })]), [
      anAlarm({ id: 7 }),
      anAlarm({ id: 6 }),
    ]);
    expect(ids(both)).toEqual([7, 6]);
    expect(both.arrived).toBe(1);
  });

  it('clear empties list and count', () => {
    const state = cleared(withArrived(EMPTY, [anAlarm()]));
    expect(state).toMatchObject({ alarms: [], arrived: 0, open: true });
  });
});
