import {
  type Car,
  type CarScreen,
  type CarScreenView,
  createCarScreen,
  listCarScreens,
  listCars,
  revokeCarScreen,
  viewCarScreen,
} from '@isotherm/contracts/car-screens';
import { act, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it, vi } from 'vitest';
import { fakeServer, Refusal } from '../../../shared/testing/fake-server.ts';
import { holding, renderPage } from '../../../shared/testing/render-page.tsx';
import { CarMonitor } from './car-monitor.tsx';
import { CarScreenPage } from './car-screen.tsx';
import { nextCar } from './car-words.ts';

// The theme asks for the system's preference when it is loaded; jsdom has no such function.
vi.hoisted(() => vi.stubGlobal('matchMedia', () => ({ matches: false, addEventListener: () => undefined })));

const NOW = Date.parse('2026-11-20T02:00:00.000Z');
const car = (id: number, changes: Partial<Car> = {}): Car => ({
  id,
  kind: 'vehicle',
  name: `Truck ${id}`,
  place: '',
  organizationName: 'Huadong Carriers',
  state: { kind: 'normal' },
  main: null,
  at: {
    latitude: 31.2,
    longitude: 121.4,
    speedKmh: 60,
    headingDeg: 90,
    measuredAt: new Date(NOW).toISOString(),
  },
  ...changes,
});
const VIEW: CarScreenView = {
  name: 'Dispatch',
  intervalS: 15,
  cars: [car(1), car(2, { at: null }), car(3)],
  serverTime: new Date(NOW).toISOString(),
};
const SCREEN: CarScreen = {
  id: 4,
  linkId: 5,
  name: 'Dispatch',
  vehicles: 0,
  organizationName: 'Carriers',
  intervalS: 15,
  createdAt: '2026-11-20T02:00:00.000Z',
  expiresAt: '2026-11-27T02:00:00.000Z',
  lastOpenedAt: null,
};
const TOKEN = 'abcdefghijklmnopqrstuv';
const stateText = () => 'Within limits';
const shownCar = () => screen.getByRole('button', { current: true, name: /Within limits/ });

afterEach(() => vi.useRealTimers());

it.each([
  ['the next one', 1, 1, 2],
  ['after the last one the first', 3, 1, 1],
  ['before the first one the last', 1, -1, 3],
  ['the first one if it is gone', 9, 1, 1],
  ['the first one at the beginning', null, 1, 1],
] as const)('a rotation shows %s', (_, current, step, next) => {
  expect(nextCar(VIEW.cars, current, step)).toBe(next);
});

it('a rotation without vehicles shows none', () => expect(nextCar([], 1, 1)).toBeNull());

it('the screen rotates through the vehicles, and stops if somebody chooses one', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  const fake = fakeServer();
  fake.answer(viewCarScreen, () => VIEW);
  await renderPage(<CarScreenPage token={TOKEN} stateText={stateText} />);
  await vi.waitFor(() => expect(shownCar().textContent).toContain('Truck 1'));
  await act(() => vi.advanceTimersByTimeAsync(15_000));
  expect(shownCar().textContent).toContain('Truck 2');
  expect(shownCar().textContent).toContain('No position');
  await act(() => vi.advanceTimersByTimeAsync(15_000));
  expect(shownCar().textContent).toContain('Truck 3');
  const user = userEvent.setup({ advanceTimers: vi.advanceTimersByTime });
  await user.click(screen.getByRole('button', { name: 'Next vehicle' }));
  await user.click(screen.getByRole('button', { name: 'Stop rotation' }));
  await act(() => vi.advanceTimersByTimeAsync(60_000));
  expect(shownCar().textContent).toContain('Truck 1');
  // jsdom has no WebGL: the list remains.
  expect(screen.getByText(/WebGL is not available/)).toBeTruthy();
});

it('a screen says that the connection is lost, and shows the vehicles again when the server is back', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  const fake = fakeServer();
  let isAway = false;
  fake.answer(viewCarScreen, () => (isAway ? new Refusal('service.failed', 'Away', 503) : VIEW));
  await renderPage(<CarScreenPage token={TOKEN} stateText={stateText} />);
  await vi.waitFor(() => expect(screen.getByText(/^Updated /)).toBeTruthy());
  isAway = true;
  await act(() => vi.advanceTimersByTimeAsync(11_000));
  expect(screen.getByText(/^No connection since /)).toBeTruthy();
  expect(shownCar()).toBeTruthy();
  isAway = false;
  await act(() => vi.advanceTimersByTimeAsync(6_000));
  expect(screen.getByText(/^Updated /)).toBeTruthy();
});

it('a revoked link shows nothing any more and says what to do', async () => {
  const fake = fakeServer();
  fake.answer(viewCarScreen, () => new Refusal('link.not_found', 'None', 404));
  await renderPage(<CarScreenPage token={TOKEN} stateText={stateText} />);
  expect(await screen.findByText('This link does not work')).toBeTruthy();
  expect(screen.queryByText('Truck 1')).toBeNull();
});

it('a browser without full screen says so', async () => {
  const fake = fakeServer();
  fake.answer(viewCarScreen, () => VIEW);
  await renderPage(<CarScreenPage token={TOKEN} stateText={stateText} />);
  await userEvent.click(await screen.findByRole('button', { name: 'Full screen' }));
  expect(screen.getByRole('status').textContent).toContain('Fullscreen not supported');
});

it('vehicles are found by name, and links are created and revoked', async () => {
  const fake = fakeServer();
  holding(fake, 'map-carmonitor:view', 'map-carmonitor:share');
  fake.answer(listCars, () => ({ cars: VIEW.cars, total: 3, serverTime: VIEW.serverTime }));
  fake.answer(listCarScreens, () => []);
  fake.answer(createCarScreen, () => ({ token: TOKEN, screens: [SCREEN] }));
  fake.answer(revokeCarScreen, () => []);
  await renderPage(<CarMonitor stateText={stateText} />, { at: '/map/carmonitor?q=truck%203&as=list' });
  const vehicles = within(await screen.findByRole('region', { name: 'Vehicles' }));
  expect(vehicles.getAllByRole('button').map(({ textContent }) => textContent)).toEqual([
    expect.stringContaining('Truck 3'),
  ]);
  await userEvent.click(screen.getByRole('button', { name: 'Create link' }));
  const form = within(await screen.findByRole('dialog'));
  await userEvent.type(form.getByRole('textbox', { name: /Name/ }), 'Dispatch');
  await userEvent.click(form.getByRole('button', { name: 'Create link' }));
  await vi.waitFor(() => expect(fake.called(createCarScreen)).toHaveLength(1));
  expect(fake.called(createCarScreen)[0]?.asked.json).toEqual({
    name: 'Dispatch',
    assetIds: [],
    intervalS: 15,
    days: 7,
  });
  expect(await screen.findByText(new RegExp(`/map/carmonitor/fullscreen#${TOKEN}`))).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'Revoke the link Dispatch', hidden: true }));
  await vi.waitFor(() => expect(screen.queryByText('All vehicles · 15 s', { exact: false })).toBeNull());
});
