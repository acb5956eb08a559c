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

describe('state of the alarm window', () => {
  it('a new alarm is put on top, is counted and opens the window', () => {
    const one = withArrived(EMPTY, [anAlarm({ id: 1 })]);
    const two = withArrived(one, [anAlarm({ id: 2 })]);
    expect(ids(two)).toEqual([2, 1]);
    expect(two).toMatchObject({ arrived: 2, open: true });
  });

  it('an alarm that arrives by WebSocket and again when missed ones are fetched is counted once', () => {
    const one = withArrived(EMPTY, [anAlarm({ id: 1 })]);
    expect(withArrived(one, [anAlarm({ id: 1 })])).toBe(one);
  });

  it('earlier alarms are counted without opening the window', () => {
    const state = withEarlier(EMPTY, [anAlarm({ id: 1 })]);
    expect(state).toMatchObject({ arrived: 1, open: false });
    expect(ids(state)).toEqual([1]);
  });

  it('the window keeps the newest hundred alarms', () => {
    const many = Array.from({ length: 130 }, (_, index) => anAlarm({ id: 1000 - index }));
    const state = withArrived(EMPTY, many);
    expect(state.alarms).toHaveLength(100);
    expect(state.alarms[0]?.id).toBe(1000);
    expect(state.arrived).toBe(130);
  });

  it('changes of listed alarms are applied, and those of other alarms are ignored', () => {
    const state = withArrived(EMPTY, [anAlarm({ id: 1 })]);
    expect(withChanged(state, anAlarm({ id: 1, state: 'ended' })).alarms[0]?.state).toBe('ended');
    expect(withChanged(state, anAlarm({ id: 2 }))).toBe(state);
  });

  it('alarms that were already open are listed below new ones, are not counted, and leave the window closed', () => {
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

  it('Clear empties the list and the count', () => {
    const state = cleared(withArrived(EMPTY, [anAlarm()]));
    expect(state).toMatchObject({ alarms: [], arrived: 0, open: true });
  });
});
