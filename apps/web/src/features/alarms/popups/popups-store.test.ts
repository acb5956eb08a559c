import type { AlarmPopup } from '@isotherm/contracts/alarm-popups';
import { beforeEach, expect, it } from 'vitest';
import { seenOf, usePopups } from './popups-store.ts';

const popup = (id: number, alarmId: number | null, over: Partial<AlarmPopup> = {}): AlarmPopup => ({
  id,
  alarmId,
  testId: alarmId === null ? id : null,
  level: 3,
  title: 'Too warm',
  message: 'Air: 9 °C',
  at: '2026-11-25T02:00:00.000Z',
  isEnd: false,
  ...over,
});
const idsShown = () => usePopups.getState().shown.map(({ id }) => id);

beforeEach(() => usePopups.setState({ shown: [], closed: new Set() }));

it('a newer popup about an alarm replaces the earlier one, and is first', () => {
  const { show } = usePopups.getState();
  show([popup(2, 20), popup(1, 10)]);
  show([popup(3, 10), popup(4, null)]);
  expect(idsShown()).toEqual([3, 4, 2]);
  show([popup(2, 20), popup(1, 10)]);
  expect(idsShown()).toEqual([3, 4, 2]);
});

it('popups of an acknowledged alarm are closed, except that of its end', () => {
  const { show, settle } = usePopups.getState();
  show([popup(1, 10), popup(2, 20), popup(3, 30, { isEnd: true })]);
  settle(10);
  settle(30);
  expect(idsShown()).toEqual([2, 3]);
});

it('a popup that was closed does not come back, and a newer one about the alarm does', () => {
  const { show, close, closeAll } = usePopups.getState();
  show([popup(2, 20), popup(1, 10)]);
  close(usePopups.getState().shown[0] as AlarmPopup);
  show([popup(2, 20), popup(1, 10)]);
  expect(idsShown()).toEqual([1]);
  closeAll();
  show([popup(3, 20), popup(2, 20), popup(1, 10)]);
  expect(idsShown()).toEqual([3]);
});

it('popups count as shown if they or a newer one about their alarm were on the screen', () => {
  const waiting = [popup(5, 10), popup(4, 10), popup(3, 10), popup(2, 20), popup(1, null)];
  const seen = new Map([
    ['10 null', 4],
    ['null 1', 1],
  ]);
  expect(seenOf(waiting, seen).map(({ id }) => id)).toEqual([4, 3, 1]);
});
