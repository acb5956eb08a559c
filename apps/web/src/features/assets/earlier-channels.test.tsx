import { type EarlierChannel, listEarlierChannels } from '@isotherm/contracts/assets';
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { fakeServer } from '../../shared/testing/fake-server.ts';
import { renderPage } from '../../shared/testing/render-page.tsx';
import { EarlierChannels } from './earlier-channels.tsx';

const CHANNEL: EarlierChannel = {
  channelId: 70,
  name: 'Air',
  indicator: 'temperature',
  deviceNumber: '31020101',
  sensorSerial: 'S-1',
  from: '2026-03-01T00:00:00.000Z',
  until: '2026-04-01T00:00:00.000Z',
};
const DOOR = { ...CHANNEL, channelId: 71, name: 'Door', indicator: 'door' as const };
/** Earlier channels of another device and another time. */
const OTHERS = [
  { ...DOOR, channelId: 72, deviceNumber: '31020102' },
  { ...DOOR, channelId: 73, from: '2025-03-01T00:00:00.000Z', until: '2025-04-01T00:00:00.000Z' },
];

async function earlier(channels: EarlierChannel[]) {
  const fake = fakeServer();
  fake.answer(listEarlierChannels, () => channels);
  await renderPage(<EarlierChannels assetId={8} />);
}

it('earlier channels are collapsed, and list device, time and a link to their chart', async () => {
  await earlier([CHANNEL, DOOR, ...OTHERS]);
  await userEvent.click(await screen.findByText('Earlier channels (4)'));
  const row = within((await screen.findByText('Air')).closest('tr') as HTMLElement);
  expect(row.getByText('31020101')).toBeTruthy();
  expect(row.getByText('S-1')).toBeTruthy();
  const address = new URL(row.getByRole<HTMLAnchorElement>('link', { name: 'Show chart' }).href);
  expect(address.pathname).toBe('/asset/8');
  // The chart also shows the door channel of the same device and time.
  expect(Object.fromEntries(address.searchParams)).toEqual({
    channels: '70,71',
    from: '2026-02-28T23:00:00.000Z',
    to: '2026-04-01T01:00:00.000Z',
  });
  expect(screen.getAllByRole('link')).toHaveLength(1);
});

it('the section is empty if the asset has no earlier channels', async () => {
  await earlier([]);
  expect(screen.queryByText(/Earlier channels/)).toBeNull();
});
