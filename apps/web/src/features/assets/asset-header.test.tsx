import type { AssetDetail } from '@isotherm/contracts/assets';
import { screen } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { aCard } from '../../shared/testing/data.ts';
import { fakeServer } from '../../shared/testing/fake-server.ts';
import { holding, renderPage } from '../../shared/testing/render-page.tsx';
import { AssetHeader } from './asset-header.tsx';

const ASSET: AssetDetail = {
  ...aCard(),
  model: '',
  status: 'normal',
  timeZone: 'UTC',
  latitude: null,
  longitude: null,
  alarms: [],
  devices: [
    {
      id: 1,
      number: '31020103',
      name: 'Logger',
      model: '',
      lastSeenAt: null,
      acquisitionIntervalMs: 300_000,
      expiresAt: null,
      battery: null,
      signal: null,
      position: null,
      channels: [],
    },
  ],
};

it.each([
  ['a link for users who may see devices', ['device-list:view'], '/device/list/31020103'],
  ['plain text for other users', [], undefined],
])('the device number is shown as %s', async (_, permissions, target) => {
  const fake = fakeServer();
  holding(fake, ...permissions);
  await renderPage(<AssetHeader asset={ASSET} action={null} />);
  await vi.waitFor(() =>
    expect(screen.getByText('31020103').closest('a')?.getAttribute('href')).toBe(target),
  );
});
