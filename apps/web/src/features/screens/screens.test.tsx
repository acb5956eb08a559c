import {
  editScreen,
  getScreen,
  newTile,
  readScreen,
  type Screen,
  type ScreenTile,
  type ScreenView,
  viewScreen,
} from '@isotherm/contracts/screens';
import { FIRST_PAGE, type Tile } from '@isotherm/domain/screens/layout';
import { act, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { type ReactNode, useState } from 'react';
import { expect, it, vi } from 'vitest';
import { aCard } from '../../shared/testing/data.ts';
import { fakeServer, Refusal } from '../../shared/testing/fake-server.ts';
import { holding, renderPage } from '../../shared/testing/render-page.tsx';
import { PictureReader } from './camera-tile.tsx';
import ScreenDetailPage from './screen-detail.page.tsx';
import { ScreenLinkPage } from './screen-link-page.tsx';
import { ScreenStage } from './screen-stage.tsx';

// The theme asks for the system's preference when it is loaded; jsdom has no such function.
vi.hoisted(() => vi.stubGlobal('matchMedia', () => ({ matches: false, addEventListener: () => undefined })));

const NOW = '2026-11-26T08:00:00.000Z';
const PAGES = [{ tiles: FIRST_PAGE.map(newTile) }];
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
  cameras: [],
  announcements: [],
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
  await renderPage(<ScreenStage view={view()} lostSince={null} />, { at: '/' });
  screen.getByText('Vaccine fridge 03', { selector: '.screen-name' });
  screen.getByText('Level 5 · Too warm');
  expect(screen.getByText('in alarm').parentElement?.textContent).toContain('1');
});

it('everything within limits is said as plainly', async () => {
  const calm = view({ cards: [aCard({ id: 8, state: { kind: 'normal' } })], total: 1 });
  await renderPage(<ScreenStage view={calm} lostSince={null} />, { at: '/' });
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

it('a list beside the worst asset leaves it out, and one on another page does not', async () => {
  const [worst, list] = [FIRST_PAGE[0], FIRST_PAGE[1]].map((tile) => newTile(tile as Tile));
  const second = { ...alarm, id: 9, name: 'Truck 12' };
  const both = { cards: [alarm, second], total: 2, pageSeconds: 10 as const };
  const rows = () => screen.queryAllByRole('listitem').map(({ textContent }) => textContent);
  vi.useFakeTimers({ shouldAdvanceTime: true });
  await renderPage(
    <ScreenStage
      view={view({
        ...both,
        pages: [{ tiles: [worst as ScreenTile, list as ScreenTile] }, { tiles: [list as ScreenTile] }],
      })}
      lostSince={null}
    />,
    { at: '/' },
  );
  expect(rows()).toEqual([expect.stringContaining('Truck 12')]);
  await act(() => vi.advanceTimersByTimeAsync(10_000));
  expect(rows()).toEqual([expect.stringContaining('Vaccine fridge 03'), expect.stringContaining('Truck 12')]);
  vi.useRealTimers();
});

it('a list without the worst asset beside it says that nothing needs attention', async () => {
  const calm = { cards: [aCard({ id: 8, state: { kind: 'normal' } })], total: 1 };
  const page = { tiles: [newTile(FIRST_PAGE[1] as Tile)] };
  await renderPage(<ScreenStage view={view({ ...calm, pages: [page] })} lostSince={null} />, { at: '/' });
  screen.getByText('Nothing needs attention');
});

it('a display keeps what it has while the server is away', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  const fake = fakeServer();
  let isAway = false;
  fake.answer(viewScreen, () => (isAway ? new Refusal('service.failed', 'Away', 503) : view()));
  await renderPage(<ScreenLinkPage token="abcdefghijklmnopqrstuv" />);
  await vi.waitFor(() => screen.getAllByText('Vaccine fridge 03'));
  isAway = true;
  await act(() => vi.advanceTimersByTimeAsync(11_000));
  screen.getByText(/^No connection since /);
  screen.getAllByText('Vaccine fridge 03');
  isAway = false;
  await act(() => vi.advanceTimersByTimeAsync(6_000));
  screen.getByText(/^Updated .* ago$/);
  vi.useRealTimers();
});

it.each([
  ['a link that was revoked', new Refusal('link.not_found', 'None', 404), 'This link does not work'],
  [
    'a service that has ended',
    new Refusal('screen.inactive', 'Ended', 409),
    'The smart screen service is not active',
  ],
])('a display shows nothing by %s, and says why', async (_, refusal, words) => {
  const fake = fakeServer();
  fake.answer(viewScreen, () => refusal);
  await renderPage(<ScreenLinkPage token="abcdefghijklmnopqrstuv" />);
  expect(await screen.findByText(words)).toBeTruthy();
});

it('a display without a token says that the link does not work, without asking the server', async () => {
  const fake = fakeServer();
  fake.answer(viewScreen, () => view());
  await renderPage(<ScreenLinkPage token="" />);
  expect(await screen.findByText('This link does not work')).toBeTruthy();
  expect(fake.called(viewScreen)).toEqual([]);
});

it('what somebody else saves is taken over, unless there are changes here, which stay with a warning', async () => {
  const fake = fakeServer();
  holding(fake, 'screen:view', 'screen:edit');
  let stored = SCREEN;
  fake.answer(getScreen, () => stored);
  fake.answer(readScreen, () => view());
  const { queries } = await renderPage(<ScreenDetailPage />, { path: '/screen/:id', at: '/screen/3' });
  const field = () => screen.getByRole('textbox', { name: /^Name/ }) as HTMLInputElement;
  await screen.findByRole('button', { name: 'Save' });
  const save = async (name: string, hour: string, changedBy: string) => {
    stored = { ...SCREEN, name, changedBy, changedAt: `2026-11-26T${hour}:00:00.000Z` };
    await act(() => queries.invalidateQueries());
  };
  await save('Warehouse', '09', 'mara');
  await vi.waitFor(() => expect(field().value).toBe('Warehouse'));
  await userEvent.type(field(), ' 2');
  await save('Depot', '10', 'tomas');
  expect(await screen.findByText(/^tomas saved this screen at /)).toBeTruthy();
  expect(field().value).toBe('Warehouse 2');
  await userEvent.click(screen.getByRole('button', { name: 'Discard my changes' }));
  expect(field().value).toBe('Depot');
  expect(screen.queryByText(/saved this screen at/)).toBeNull();
});

it('a name that is missing is marked, and cannot be saved', async () => {
  const fake = fakeServer();
  holding(fake, 'screen:view', 'screen:edit');
  fake.answer(getScreen, () => SCREEN);
  fake.answer(readScreen, () => view());
  await renderPage(<ScreenDetailPage />, { path: '/screen/:id', at: '/screen/3' });
  await screen.findByRole('button', { name: 'Save' });
  await userEvent.clear(screen.getByRole('textbox', { name: /^Name/ }));
  screen.getByText('Required.');
  expect((screen.getByRole('button', { name: 'Save' }) as HTMLButtonElement).disabled).toBe(true);
});

const camera = (pictureId: number | null) => ({
  webcamId: 5,
  name: 'Door of the cold room',
  picture: pictureId === null ? null : { id: pictureId, takenAt: NOW },
});
const tiles = (...kinds: Tile['kind'][]) => [
  {
    tiles: kinds.map((kind, index) => ({
      ...newTile({ kind, x: index * 4, y: 0, width: 4, height: 3 }),
      webcamId: kind === 'camera' ? 5 : null,
    })),
  },
];

it('a camera shows its newest picture, and announcements their texts', async () => {
  vi.stubGlobal(
    'URL',
    Object.assign(URL, { createObjectURL: () => 'blob:picture', revokeObjectURL: vi.fn() }),
  );
  const read = vi.fn(async () => new Blob(['webp']));
  const news = { id: 1, title: 'Cold room 2 is closed', summary: 'Until Friday.', organizationName: 'HQ' };
  const shown = view({
    pages: tiles('camera', 'announcements'),
    cameras: [camera(9)],
    announcements: [{ ...news, publishedAt: NOW }],
  });
  await renderPage(
    <PictureReader value={read}>
      <ScreenStage view={shown} lostSince={null} />
    </PictureReader>,
    { at: '/' },
  );
  const picture = await screen.findByRole('img', { name: 'Door of the cold room' });
  expect(picture.getAttribute('src')).toBe('blob:picture');
  expect(read).toHaveBeenCalledWith(9, expect.any(AbortSignal));
  screen.getByText('Cold room 2 is closed');
  screen.getByText('Until Friday.');
});

it('a picture that could not be loaded is tried again, and the time is that of the picture that is shown', async () => {
  vi.stubGlobal(
    'URL',
    Object.assign(URL, { createObjectURL: () => 'blob:picture', revokeObjectURL: vi.fn() }),
  );
  const answers = [new TypeError('no network'), new Blob(['first']), new TypeError('no network')];
  const read = vi.fn(async () => {
    const answer = answers.shift();
    if (!(answer instanceof Blob)) throw answer;
    return answer;
  });
  const at = (minute: number) => new Date(Date.parse(NOW) + minute * 60_000).toISOString();
  const stage = (minute: number, pictureId: number, takenAt: string) => (
    <PictureReader value={read}>
      <ScreenStage
        view={view({
          pages: tiles('camera'),
          cameras: [{ ...camera(pictureId), picture: { id: pictureId, takenAt } }],
          serverTime: at(minute),
        })}
        lostSince={null}
      />
    </PictureReader>
  );
  let show = (_: ReactNode) => {};
  function Display({ first }: { first: ReactNode }) {
    const [shown, setShown] = useState(first);
    show = setShown;
    return shown;
  }
  await renderPage(<Display first={stage(0, 9, at(-1))} />, { at: '/' });
  expect(screen.queryByRole('img', { name: 'Door of the cold room' })).toBeNull();
  await act(async () => show(stage(1, 9, at(-1))));
  const picture = await screen.findByRole('img', { name: 'Door of the cold room' });
  const caption = picture.parentElement?.querySelector('figcaption')?.textContent;
  await act(async () => show(stage(2, 10, at(2))));
  expect(read).toHaveBeenCalledTimes(3);
  expect(picture.parentElement?.querySelector('figcaption')?.textContent).toBe(caption);
});

it.each<[string, Partial<ScreenView>, string]>([
  ['without a picture', { cameras: [camera(null)] }, 'No pictures yet'],
  ['that was removed', { cameras: [] }, 'This camera was removed, or belongs to another organisation.'],
])('a camera %s says so', async (_, more, said) => {
  await renderPage(<ScreenStage view={view({ pages: tiles('camera'), ...more })} lostSince={null} />, {
    at: '/',
  });
  screen.getByText(said);
});
