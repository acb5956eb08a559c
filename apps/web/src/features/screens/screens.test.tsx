import { editScreen, getScreen, readScreen, type Screen, type ScreenView } from '@isotherm/contracts/screens';
import { FIRST_PAGE } from '@isotherm/domain/screens/layout';
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { ApiError } from '../../shared/api/api-error.ts';
import { aCard } from '../../shared/testing/data.ts';
import { fakeServer } from '../../shared/testing/fake-server.ts';
import { holding, renderPage } from '../../shared/testing/render-page.tsx';
import ScreenDetailPage from './screen-detail.page.tsx';
import { afterFailure } from './screen-link-page.tsx';
import { ScreenStage } from './screen-stage.tsx';

// The theme asks for the system's preference when it is loaded; jsdom has no such function.
vi.hoisted(() => vi.stubGlobal('matchMedia', () => ({ matches: false })));

const NOW = '2026-11-26T08:00:00.000Z';
const PAGES = [{ tiles: FIRST_PAGE.map((tile) => ({ ...tile, text: '' })) }];
const alarm = aCard({
  id: 7,
  name: 'Vaccine fridge 03',
  state: {
    kind: 'alarm',
    alarmId: 1,
    level: 5,
    alarmKind: 'high',
    indicator: 'temperature',
    since: NOW,
    limitValue: 8,
    recovering: false,
    acknowledgedBy: null,
  },
});
const view = (changes: Partial<ScreenView> = {}): ScreenView => ({
  name: 'Control room',
  organizationName: 'HQ',
  pages: PAGES,
  pageSeconds: 30,
  dim: null,
  figures: { alarm: 1, ended: 0, pending: 0, unknown: 0, normal: 1, unset: 0 },
  cards: [alarm, aCard({ id: 8, name: 'Vaccine fridge 04', state: { kind: 'normal' } })],
  total: 2,
  sparklines: [],
  places: [],
  serverTime: NOW,
  ...changes,
});
const SCREEN: Screen = {
  id: 3,
  organizationId: 1,
  organizationName: 'HQ',
  name: 'Control room',
  pages: PAGES,
  pageSeconds: 30,
  dim: null,
  links: [],
  service: 'trial',
  changedBy: 'lin',
  changedAt: NOW,
};

it('the worst asset is shown large', async () => {
  await renderPage(<ScreenStage view={view()} status="now" />, { at: '/' });
  screen.getByText('Vaccine fridge 03');
  screen.getByText('Level 5 · Too warm');
  expect(screen.getByText('in alarm').parentElement?.textContent).toContain('1');
});

it('everything within limits is said as plainly', async () => {
  const calm = view({ cards: [aCard({ id: 8, state: { kind: 'normal' } })], total: 1 });
  await renderPage(<ScreenStage view={calm} status="now" />, { at: '/' });
  screen.getByText('Everything is within limits');
});

it('a tile is moved and resized by the keyboard, and the layout is saved', async () => {
  const fake = fakeServer();
  holding(fake, 'screen:view', 'screen:edit');
  fake.answer(getScreen, () => SCREEN);
  fake.answer(readScreen, () => view());
  fake.answer(editScreen, () => ({ ...SCREEN, changedAt: '2026-11-26T09:00:00.000Z' }));
  await renderPage(<ScreenDetailPage />, { path: '/screen/:id', at: '/screen/3' });
  const save = await screen.findByRole('button', { name: 'Save' });
  expect((save as HTMLButtonElement).disabled).toBe(true);
  const grip = screen.getByRole('button', { name: 'Move All assets' });
  grip.focus();
  await userEvent.keyboard('{Shift>}{ArrowUp}{/Shift}');
  await userEvent.keyboard('{ArrowDown}');
  await userEvent.click(save);
  expect(await screen.findByText('Screen saved')).toBeTruthy();
  const saved = fake.called(editScreen)[0]?.asked.json as { pages: { tiles: object[] }[] };
  expect(saved.pages[0]?.tiles[3]).toMatchObject({ kind: 'wall', x: 6, y: 2, width: 6, height: 6 });
});

it('without permission the layout is only shown', async () => {
  const fake = fakeServer();
  holding(fake, 'screen:view');
  fake.answer(getScreen, () => SCREEN);
  fake.answer(readScreen, () => view());
  await renderPage(<ScreenDetailPage />, { path: '/screen/:id', at: '/screen/3' });
  const layout = within(await screen.findByRole('region', { name: 'Layout' }));
  expect(layout.queryByRole('button', { name: /^Move/ })).toBeNull();
  expect(screen.queryByRole('button', { name: 'Save' })).toBeNull();
  expect(screen.queryByText('Public links')).toBeNull();
});

it('a display keeps what it has while the server is away, and shows nothing by a link that does not work', () => {
  const state = { view: view(), readAt: 5, lostSince: null, refused: null };
  const [lost, soon] = afterFailure(state, new Error('offline'), 10);
  expect([lost.view, lost.lostSince, soon]).toEqual([state.view, 10, 5_000]);
  expect(afterFailure(lost, new Error('offline'), 20)[0].lostSince).toBe(10);
  const [gone] = afterFailure(state, new ApiError('link.not_found', 'x', 404), 10);
  expect([gone.view, gone.refused]).toEqual([null, 'link']);
  expect(afterFailure(state, new ApiError('screen.inactive', 'x', 409), 10)[0].refused).toBe('service');
  expect(afterFailure(state, new ApiError('request.too_many', 'x', 429), 10)[1]).toBe(60_000);
});
