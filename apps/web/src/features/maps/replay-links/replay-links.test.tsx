import { getTrack, listTrackEvents } from '@isotherm/contracts/maps';
import {
  listSharedReplays,
  revokeSharedReplay,
  type SharedReplay,
  type SharedReplayView,
  shareReplay,
  viewReplayEvents,
  viewReplayTrack,
  viewSharedReplay,
} from '@isotherm/contracts/shared-replays';
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { fakeServer, Refusal } from '../../../shared/testing/fake-server.ts';
import { holding, renderPage } from '../../../shared/testing/render-page.tsx';
import { Replay } from '../replay.tsx';
import { ReplayLinkPage } from './replay-link-page.tsx';

// The theme asks for the system's preference when it is loaded; jsdom has no such function.
vi.hoisted(() => vi.stubGlobal('matchMedia', () => ({ matches: false })));

const MIN = 60_000;
const FROM = Date.parse('2026-11-20T02:00:00.000Z');
const TO = FROM + 60 * MIN;
const TOKEN = 'abcdefghijklmnopqrstuv';
const track = (assetId: number) => ({
  assetId,
  name: `Truck ${assetId}`,
  at: [FROM, FROM + MIN, FROM + 2 * MIN],
  latitude: [31, 31.01, 31.02],
  longitude: [121, 121, 121],
  speedKmh: [60, 60, 60],
  place: [0, 1, 2],
  lineEnds: [2],
  stops: [],
  trips: [],
  speedings: [],
  distanceM: 2_200,
  speedLimitKmh: 100,
  faulty: 0,
  toleranceM: 0,
  alarms: [],
  fenceEvents: [],
});
const SHARED: SharedReplay = {
  id: 4,
  name: 'Morning run',
  assets: 2,
  from: new Date(FROM).toISOString(),
  to: new Date(TO).toISOString(),
  organizationName: 'Carriers',
  createdAt: '2026-11-20T04:00:00.000Z',
  expiresAt: '2026-11-27T04:00:00.000Z',
  lastOpenedAt: null,
};
const VIEW: SharedReplayView = {
  name: 'Morning run',
  from: SHARED.from,
  to: SHARED.to,
  speed: 300,
  skipsStops: false,
  assetIds: [8, 9],
  missing: 0,
  hasChart: true,
};
const chart = ({ token }: { token: string }) => <p>Chart of {token}</p>;
const NO_READINGS = { doors: [], excursions: [], total: 0 };
const linkedTracks = (fake: ReturnType<typeof fakeServer>) => {
  fake.answer(viewReplayEvents, () => NO_READINGS);
  fake.answer(viewReplayTrack, ({ json }) => track((json as { assetId: number }).assetId));
};
const replayPage = (
  <Replay
    range={{ from: FROM, to: TO }}
    isLive={false}
    chart={() => null}
    channelsOf={async (assetId) => [assetId * 10]}
  />
);

it('the replay that is shown is shared with its view, and its link is revoked', async () => {
  const fake = fakeServer();
  holding(fake, 'map-replay:view', 'map-replay:share');
  fake.answer(listTrackEvents, () => NO_READINGS);
  fake.answer(getTrack, ({ path }) => track(Number(path.split('/').at(-1))));
  fake.answer(listSharedReplays, () => []);
  fake.answer(shareReplay, () => ({ token: TOKEN, replays: [SHARED] }));
  fake.answer(revokeSharedReplay, () => []);
  await renderPage(replayPage, { at: '/map/replay?assets=8,9' });
  await userEvent.click(await screen.findByRole('button', { name: '300' }));
  await userEvent.click(screen.getByRole('switch', { name: 'Skip stops' }));
  await userEvent.click(screen.getByRole('button', { name: 'Share replay' }));
  const form = within(await screen.findByRole('dialog'));
  expect(form.getByText(/^2 assets, /)).toBeTruthy();
  await userEvent.type(form.getByRole('textbox', { name: /Name/ }), 'Morning run');
  await userEvent.click(form.getByRole('button', { name: 'Create link' }));
  expect(await screen.findByText(new RegExp(`/map/replay/shared#${TOKEN}$`))).toBeTruthy();
  expect(fake.called(shareReplay)[0]?.asked.json).toEqual({
    name: 'Morning run',
    days: 7,
    assetIds: [8, 9],
    channelIds: [80],
    from: SHARED.from,
    to: SHARED.to,
    speed: 300,
    skipsStops: false,
  });
  await userEvent.click(screen.getByRole('button', { name: 'Revoke the link Morning run', hidden: true }));
  await vi.waitFor(() => expect(screen.getByText('No links yet.')).toBeTruthy());
});

it('those who may not share replays see no links', async () => {
  const fake = fakeServer();
  holding(fake, 'map-replay:view');
  fake.answer(listTrackEvents, () => NO_READINGS);
  fake.answer(getTrack, () => track(8));
  await renderPage(replayPage, { at: '/map/replay?assets=8' });
  await screen.findByRole('button', { name: 'Play' });
  expect(screen.queryByRole('button', { name: 'Share replay' })).toBeNull();
  expect(fake.called(listSharedReplays)).toEqual([]);
});

it('a link shows the replay as it was shared, with the chart of the first asset', async () => {
  const fake = fakeServer();
  fake.answer(viewSharedReplay, () => VIEW);
  linkedTracks(fake);
  await renderPage(<ReplayLinkPage token={TOKEN} chart={chart} />);
  expect(await screen.findByRole('heading', { name: 'Morning run' })).toBeTruthy();
  await vi.waitFor(() => expect(screen.getByText(/Truck 8, Truck 9/)).toBeTruthy());
  expect(screen.getByRole('button', { name: '300' }).getAttribute('aria-pressed')).toBe('true');
  expect(screen.getByRole('switch', { name: 'Skip stops' }).getAttribute('aria-checked')).toBe('false');
  expect(screen.getByText(`Chart of ${TOKEN}`)).toBeTruthy();
  expect(screen.getByText('First position')).toBeTruthy();
});

it('a link says which assets it does not show any more, and has no chart without the first one', async () => {
  const fake = fakeServer();
  fake.answer(viewSharedReplay, () => ({ ...VIEW, assetIds: [9], missing: 1, hasChart: false }));
  linkedTracks(fake);
  await renderPage(<ReplayLinkPage token={TOKEN} chart={chart} />);
  expect(await screen.findByText('1 asset is not shown, because it left the organisation.')).toBeTruthy();
  await screen.findByRole('button', { name: 'Play' });
  expect(screen.queryByText(/^Chart of/)).toBeNull();
});

it('a link whose assets have all left says so', async () => {
  const fake = fakeServer();
  fake.answer(viewSharedReplay, () => ({ ...VIEW, assetIds: [], missing: 2, hasChart: false }));
  await renderPage(<ReplayLinkPage token={TOKEN} chart={chart} />);
  expect(await screen.findByText('The assets of this replay left the organisation.')).toBeTruthy();
});

it('a revoked link shows nothing and says what to do', async () => {
  const fake = fakeServer();
  fake.answer(viewSharedReplay, () => new Refusal('link.not_found', 'None', 404));
  await renderPage(<ReplayLinkPage token={TOKEN} chart={chart} />);
  expect(await screen.findByText('This link does not work')).toBeTruthy();
  expect(screen.queryByRole('heading', { name: 'Morning run' })).toBeNull();
});
