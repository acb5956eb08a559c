import { listAlarms } from '@isotherm/contracts/alarms';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { anAlarm } from '../../shared/testing/data.ts';
import { fakeServer } from '../../shared/testing/fake-server.ts';
import { holding, renderPage } from '../../shared/testing/render-page.tsx';
import { unlockSoundOnFirstTouch, useSoundBlocked } from './alarm-sound.ts';
import { AlarmWindow } from './alarm-window.tsx';
import { useAlarmWindow } from './alarm-window-store.ts';

const FRIDGE = anAlarm({ id: 1, assetName: 'Fridge 1', level: 2 });
const ENDED = anAlarm({ id: 2, assetName: 'Fridge 2', level: 5, state: 'ended' });
const ACKNOWLEDGED = anAlarm({
  id: 3,
  assetName: 'Fridge 3',
  acknowledgement: {
    by: 'Chen Wei',
    at: '2026-11-20T01:40:00.000Z',
    reason: 'door-open',
    cause: '',
    correctiveAction: 'Door closed',
  },
});

beforeEach(() => {
  localStorage.clear();
  useAlarmWindow.setState({ alarms: [FRIDGE, ENDED, ACKNOWLEDGED], arrived: 3, open: true, muted: false });
  const server = fakeServer();
  holding(server, 'asset:view');
  server.answer(listAlarms, ({ query }) => ({
    items: query.get('show') === 'unacknowledged' ? [ENDED] : [],
    total: 3,
    open: 2,
    unacknowledged: 2,
  }));
});
afterEach(() => useSoundBlocked.setState(false, true));

const openWindow = () => renderPage(<AlarmWindow canAcknowledge />);
const rowOf = (name: string) => within(screen.getByRole('link', { name }).closest('article') as HTMLElement);

test('a row offers the acknowledgement only of an alarm that is not acknowledged, and links to its chart', async () => {
  await openWindow();
  for (const { assetName, acknowledgement, id } of [FRIDGE, ENDED, ACKNOWLEDGED]) {
    const row = rowOf(assetName);
    expect(row.queryByRole('button', { name: 'Acknowledge' }) === null, assetName).toBe(
      acknowledgement !== null,
    );
    expect((await row.findByRole('link', { name: 'Chart' })).getAttribute('href')).toContain(`alarm=${id}`);
  }
});

test('the header shows the worst unacknowledged alarm and links to it', async () => {
  await openWindow();
  const worst = await screen.findByRole('link', { name: /Worst.*Fridge 2/ });
  expect(worst.getAttribute('href')).toBe('/alarm/2');
});

test.each([
  {
    by: 'the pointer',
    press: (button: HTMLElement) => fireEvent.pointerDown(button),
  },
  {
    by: 'the keyboard',
    press: (button: HTMLElement) => fireEvent.keyDown(button, { key: 'Enter' }),
  },
])(
  'if the browser blocks sound, it is enabled by $by, and the same press does not mute it',
  async ({ press }) => {
    useSoundBlocked.setState(true, true);
    const stop = unlockSoundOnFirstTouch();
    await openWindow();
    const blocked = screen.getByRole('button', { name: /blocks the sound/ });
    press(blocked);
    await waitFor(() => expect(blocked.getAttribute('aria-label')).toBe('Mute sound'));
    fireEvent.click(blocked);
    expect(useAlarmWindow.getState().muted).toBe(false);
    press(blocked);
    fireEvent.click(blocked);
    expect(useAlarmWindow.getState().muted).toBe(true);
    stop();
  },
);
