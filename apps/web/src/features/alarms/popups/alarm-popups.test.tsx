import { type AlarmPopup, confirmPopups, listPopups } from '@isotherm/contracts/alarm-popups';
import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it } from 'vitest';
import { fakeServer } from '../../../shared/testing/fake-server.ts';
import { renderPage } from '../../../shared/testing/render-page.tsx';
import { AlarmPopups } from './alarm-popups.tsx';
import { usePopups } from './popups-store.ts';

const popup = (id: number): AlarmPopup => ({
  id,
  alarmId: id,
  testId: null,
  level: 3,
  title: `Alarm ${id}`,
  message: 'Air: 9 °C',
  at: '2026-11-25T02:00:00.000Z',
  isEnd: false,
});

beforeEach(() => usePopups.setState({ shown: [], closed: new Set() }));

async function shown(ids: readonly number[]) {
  const fake = fakeServer();
  fake.answer(listPopups, () => ids.map(popup));
  fake.answer(confirmPopups, () => null);
  await renderPage(<AlarmPopups canAcknowledge={false} />);
  await screen.findByText(`Alarm ${ids[0]}`);
  const confirmed = () =>
    new Set(fake.called(confirmPopups).flatMap(({ asked }) => (asked.json as { ids: number[] }).ids));
  return { confirmed };
}

it('popups beyond those on the screen count as shown only when there is room for them', async () => {
  const { confirmed } = await shown([5, 4, 3, 2, 1]);
  await waitFor(() => expect(confirmed()).toEqual(new Set([5, 4, 3])));
  expect(screen.queryByText('Alarm 2')).toBeNull();
  expect(screen.getByRole('link', { name: /2 more/ })).toBeTruthy();
  const [first] = screen.getAllByRole('button', { name: 'Close' });
  await userEvent.click(first as HTMLElement);
  expect(await screen.findByText('Alarm 2')).toBeTruthy();
  await waitFor(() => expect(confirmed()).toEqual(new Set([5, 4, 3, 2])));
  await userEvent.click(screen.getByRole('button', { name: 'Close all' }));
  await waitFor(() => expect(screen.queryByText('Alarm 2')).toBeNull());
  expect(confirmed()).toEqual(new Set([5, 4, 3, 2]));
  expect(screen.queryByText('Alarm 1')).toBeNull();
});
