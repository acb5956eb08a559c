import type { AssetCard } from '@isotherm/contracts/assets';
import {
  createFloorPlan,
  deleteFloorPlan,
  type FloorPlanDetail,
  getFloorPlan,
  listFloorPlans,
  listFloorPlanValues,
  listPlaceable,
  placeOnFloorPlan,
  readFloorPlanPicture,
} from '@isotherm/contracts/floor-plans';
import { listOrganizations } from '@isotherm/contracts/organizations';
import type { ClientMessage, ServerMessage } from '@isotherm/contracts/realtime';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import * as socket from '../../../shared/socket/socket.ts';
import { aCard, anAlarm } from '../../../shared/testing/data.ts';
import { fakeServer, Refusal } from '../../../shared/testing/fake-server.ts';
import { anOrganizationNode } from '../../../shared/testing/identity-data.ts';
import { holding, renderPage, stubFrame } from '../../../shared/testing/render-page.tsx';
import FloorPlanPage from './asset-floor-plans.page.tsx';
import { AssetPlan } from './asset-plan.tsx';
import * as pdfPage from './pdf-page.ts';

const listeners = new Set<(message: ServerMessage) => void>();
const said: ClientMessage[] = [];
const pdf = { pages: 2, drawn: [] as number[], closed: 0 };

const point = (assetId: number, assetName: string, x: number, channelId: number | null = null) => ({
  assetId,
  channelId,
  assetName,
  assetCode: `F-${assetId}`,
  x,
  y: 0.5,
  assetKind: 'refrigerator' as const,
  channelName: channelId === null ? null : 'Door',
});
const PLAN: FloorPlanDetail = {
  id: 4,
  organizationId: 1,
  organizationName: 'Hospital',
  name: 'Pharmacy',
  floor: -1,
  mediaType: 'image/svg+xml',
  width: 2000,
  height: 1000,
  picture: 1,
  version: 3,
  changedBy: 'demo.keeper',
  changedAt: '2026-05-02T08:00:00.000Z',
  points: [point(8, 'Fridge 03', 0.25), point(9, 'Freezer 01', 0.75)],
};
const value = (card: AssetCard) => ({ assetId: card.id, channelId: null, card });
const [warm, quiet] = [
  aCard({
    id: 8,
    name: 'Fridge 03',
    state: {
      kind: 'alarm',
      alarmId: 1,
      level: 4,
      alarmKind: 'high',
      indicator: 'temperature',
      since: '2026-11-20T02:00:00.000Z',
      limitValue: 8,
      recovering: false,
      acknowledgedBy: null,
    },
  }),
  aCard({ id: 9, name: 'Freezer 01' }),
];

function server(plan = PLAN, ...permissions: string[]) {
  const fake = fakeServer();
  const held =
    permissions.length > 0 ? permissions : ['asset-floor-plans:view', 'asset-floor-plans:edit', 'asset:view'];
  holding(fake, ...held);
  const { points: _, ...listed } = plan;
  fake.answer(listOrganizations, () => [anOrganizationNode()]);
  fake.answer(listFloorPlans, () => ({ items: [listed], total: 1 }));
  fake.answer(getFloorPlan, () => plan);
  fake.answer(listFloorPlanValues, () => (plan.points.length > 0 ? [value(warm), value(quiet)] : []));
  fake.answer(readFloorPlanPicture, () => new Promise<never>(() => undefined));
  fake.answer(listPlaceable, () => [
    {
      id: 10,
      name: 'Box 117',
      code: 'B-1',
      kind: 'cold-box' as const,
      channels: [{ id: 70, name: 'Air', indicator: 'temperature' as const }],
    },
  ]);
  return fake;
}

beforeEach(() => {
  stubFrame(1072, 572);
  URL.createObjectURL = () => 'blob:plan';
  URL.revokeObjectURL = () => undefined;
  const openPdf = vi.spyOn(pdfPage, 'openPdf').mockImplementation(async (file) => {
    if (file instanceof File && file.name === 'locked.pdf') throw new Error('password');
    return {
      count: pdf.pages,
      picture: async (page) => {
        pdf.drawn.push(page);
        return new Blob(['png']);
      },
      close: () => pdf.closed++,
    };
  });
  const heard = vi.spyOn(socket, 'onServerMessage').mockImplementation((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  });
  const say = vi.spyOn(socket, 'say').mockImplementation((message) => said.push(message));
  return () => {
    for (const stub of [openPdf, heard, say]) stub.mockRestore();
    said.length = 0;
  };
});

const mark = (name: RegExp) => screen.findByRole('button', { name });

describe('the floor plan page', () => {
  it('the name and the state of each point are given as text, not only by colours', async () => {
    server();
    await renderPage(<FloorPlanPage />);
    const fridge = await mark(/^Fridge 03: Level 4 · Too warm, 4.8 °C$/);
    expect(fridge.style.left).toBe('25%');
    expect(within(fridge).getByRole('img', { name: 'Level 4', hidden: true })).toBeTruthy();
    expect(await mark(/^Freezer 01: Within limits, 4.8 °C$/)).toBeTruthy();
    expect(screen.getByText('1 of 2 needs attention')).toBeTruthy();
    expect(screen.getByRole('button', { name: /Pharmacy/ }).getAttribute('aria-current')).toBe('true');
    await userEvent.click(fridge);
    const card = within(await screen.findByRole('complementary', { name: 'Fridge 03' }));
    expect(card.getByText('2.0 to 8.0 °C')).toBeTruthy();
    expect(card.getByRole('link', { name: 'Chart' }).getAttribute('href')).toBe('/asset/8');
  });

  it('a WebSocket event updates cards of assets at once, and the values of channels by a new query', async () => {
    const fake = server();
    await renderPage(<FloorPlanPage />);
    await mark(/Freezer 01: Within limits/);
    expect(said).toContainEqual({ type: 'watch', assetIds: [8, 9] });
    const fresh = { ...quiet, main: quiet.main && { ...quiet.main, value: -19.5 } };
    for (const listener of listeners) listener({ event: 'cards', cards: [fresh] });
    expect(await mark(/Freezer 01: Within limits, −19.5 °C/)).toBeTruthy();
    const asked = fake.called(listFloorPlanValues).length;
    for (const listener of listeners) listener({ event: 'alarm.changed', alarm: anAlarm({ assetId: 9 }) });
    await waitFor(() => expect(fake.called(listFloorPlanValues).length).toBeGreaterThan(asked), {
      timeout: 3000,
    });
  });

  it('a user with read access cannot change the plan', async () => {
    server(PLAN, 'asset-floor-plans:view');
    await renderPage(<FloorPlanPage />);
    await mark(/Fridge 03/);
    for (const name of ['Add floor plan', 'Place assets', 'Delete', 'Another picture'])
      expect(screen.queryByRole('button', { name })).toBeNull();
    expect(screen.getByRole('button', { name: 'Print' })).toBeTruthy();
  });

  it('deleting a plan requires a reason', async () => {
    const fake = server();
    fake.answer(deleteFloorPlan, () => null);
    await renderPage(<FloorPlanPage />);
    await userEvent.click(await screen.findByRole('button', { name: 'Delete' }));
    const dialog = within(await screen.findByRole('dialog'));
    fireEvent.change(dialog.getByRole('textbox'), { target: { value: 'Rebuilt' } });
    await userEvent.click(dialog.getByRole('button', { name: 'Delete' }));
    await waitFor(() =>
      expect(fake.called(deleteFloorPlan)[0]?.asked).toMatchObject({
        path: '/api/asset/floor-plan/4',
        json: { reason: 'Rebuilt' },
      }),
    );
  });
});

describe('placing points on a plan', () => {
  async function editor() {
    const fake = server();
    await renderPage(<FloorPlanPage />);
    await userEvent.click(await screen.findByRole('button', { name: 'Place assets' }));
    await screen.findByRole('button', { name: 'Place Box 117' });
    return fake;
  }
  const save = () => userEvent.click(screen.getByRole('button', { name: 'Save' }));

  it('a point is placed in the middle, moved by arrow keys, removed, and saved with the base version', async () => {
    const fake = await editor();
    fake.answer(placeOnFloorPlan, () => PLAN);
    expect(screen.getByRole('button', { name: 'Save' }).hasAttribute('disabled')).toBe(true);
    await userEvent.click(screen.getByRole('button', { name: 'Place Box 117' }));
    await userEvent.click(screen.getByRole('button', { name: '1 channel' }));
    await userEvent.click(screen.getByRole('button', { name: 'Place Air' }));
    fireEvent.keyDown(await mark(/^Box 117 · Air$/), { key: 'ArrowRight', shiftKey: true });
    fireEvent.keyDown(await mark(/^Box 117$/), { key: 'ArrowUp' });
    await userEvent.click(await mark(/^Fridge 03/));
    await userEvent.click(screen.getByRole('button', { name: 'Remove from plan' }));
    await save();
    await waitFor(() => expect(fake.called(placeOnFloorPlan)).toHaveLength(1));
    const asked = fake.called(placeOnFloorPlan)[0]?.asked;
    expect(asked?.query.get('version')).toBe('3');
    expect(asked?.json).toEqual({
      points: [
        { assetId: 9, channelId: null, x: 0.75, y: 0.5 },
        { assetId: 10, channelId: null, x: 0.5, y: 0.498 },
        { assetId: 10, channelId: 70, x: 0.52, y: 0.5 },
      ],
    });
  });

  it('an item of the list is placed where it is dropped, unless that is outside the plan', async () => {
    await editor();
    const item = (screen.getByText('Box 117').closest('.place-item') as HTMLElement) ?? null;
    const drag = (clientX: number, clientY: number) => {
      fireEvent.pointerDown(item, { button: 0, pointerId: 1, clientX: 5, clientY: 5 });
      fireEvent.pointerMove(item, { pointerId: 1, clientX, clientY });
      fireEvent.pointerUp(item, { pointerId: 1, clientX, clientY });
    };
    drag(10, 10);
    expect(screen.queryByRole('button', { name: 'Box 117' })).toBeNull();
    // The upper left corner of the image is at 36,36, and its size is 1000 by 500.
    drag(136, 286);
    expect((await mark(/^Box 117$/)).style).toMatchObject({ left: '10%', top: '50%' });
  });

  it('a save by someone else is reported, and overwritten only on request', async () => {
    const fake = await editor();
    const theirs = { ...PLAN, version: 8, points: [point(8, 'Fridge 03', 0.5)], changedBy: 'demo.manager' };
    fake.answer(placeOnFloorPlan, ({ query }) =>
      query.get('version') === '8' ? theirs : new Refusal('floor_plan.changed', 'Changed meanwhile', 409),
    );
    fireEvent.keyDown(await mark(/^Freezer 01/), { key: 'ArrowLeft', shiftKey: true });
    fake.answer(getFloorPlan, () => theirs);
    await save();
    const dialog = within(await screen.findByRole('dialog'));
    expect(dialog.getByText('73 % from the left, 50 % from the top')).toBeTruthy();
    expect(dialog.getByText('not placed')).toBeTruthy();
    await userEvent.click(dialog.getByRole('button', { name: 'Save my changes' }));
    await waitFor(() => expect(fake.called(placeOnFloorPlan)).toHaveLength(2));
    expect(fake.called(placeOnFloorPlan)[1]?.asked.query.get('version')).toBe('8');
  });

  it('a draft is discarded only after a confirmation', async () => {
    await editor();
    await userEvent.click(screen.getByRole('button', { name: 'Place Box 117' }));
    await userEvent.click(screen.getByRole('button', { name: 'Cancel' }));
    await userEvent.click(
      within(await screen.findByRole('dialog')).getByRole('button', { name: 'Keep editing' }),
    );
    expect(await mark(/^Box 117$/)).toBeTruthy();
  });
});

describe('the image of a plan', () => {
  async function form() {
    const fake = server();
    fake.answer(createFloorPlan, () => ({ ...PLAN, points: [] }));
    await renderPage(<FloorPlanPage />, { at: '/?new=1' });
    const dialog = await screen.findByRole('dialog');
    const choose = (file: File) =>
      fireEvent.change(dialog.querySelector('input[type="file"]') as HTMLInputElement, {
        target: { files: [file] },
      });
    const send = () => userEvent.click(within(dialog).getByRole('button', { name: 'Add floor plan' }));
    return { fake, dialog: within(dialog), choose, send };
  }
  const sized = (name: string, bytes: number) => {
    const file = new File(['x'], name);
    Object.defineProperty(file, 'size', { value: bytes });
    return file;
  };

  it('the chosen page of a PDF is rendered as the image in the browser', async () => {
    const { fake, dialog, choose, send } = await form();
    pdf.drawn.length = 0;
    choose(new File(['%PDF-'], 'Hall 2.pdf'));
    fireEvent.change(await dialog.findByRole('combobox', { name: 'Page' }), { target: { value: '2' } });
    await waitFor(() => expect(pdf.drawn).toEqual([1, 2]));
    await waitFor(() => expect(dialog.queryByText('Rendering the page…')).toBeNull());
    await send();
    await waitFor(() => expect(fake.called(createFloorPlan)).toHaveLength(1));
    expect(fake.called(createFloorPlan)[0]?.asked.fields).toMatchObject({
      name: 'Hall 2',
      floor: '0',
      organizationId: '1',
    });
  });

  it.each([
    ['plan.png', 10 * 1024 * 1024 + 1, 'The file is larger than 10 MB.'],
    ['plan.pdf', 200 * 1024 * 1024, 'The file is larger than 50 MB.'],
    ['locked.pdf', 100, 'The PDF cannot be read: it is damaged or password-protected.'],
  ])('the file %s with %d bytes is refused before the upload', async (name, bytes, sentence) => {
    const { fake, choose, send } = await form();
    choose(sized(name, bytes));
    expect(await screen.findByText(sentence)).toBeTruthy();
    await send();
    expect(fake.called(createFloorPlan)).toEqual([]);
  });
});

it('an empty page explains floor plans and offers to add one', async () => {
  const fake = server();
  fake.answer(listFloorPlans, () => ({ items: [], total: 0 }));
  await renderPage(<FloorPlanPage />);
  expect(await screen.findByText('No floor plans yet')).toBeTruthy();
  expect(await screen.findByRole('button', { name: 'Add floor plan' })).toBeTruthy();
});

describe('the floor plan on the page of an asset', () => {
  it('the page shows the plan with the asset marked', async () => {
    const fake = server();
    await renderPage(<AssetPlan assetId={9} />);
    expect((await mark(/^Freezer 01/)).className).toContain('plan-mark-focus');
    expect((await mark(/^Fridge 03/)).className).not.toContain('plan-mark-focus');
    expect(fake.called(listFloorPlans)[0]?.asked.query.get('assetId')).toBe('9');
  });

  it('the page links to the floor plans if the asset is on no plan', async () => {
    const fake = server();
    fake.answer(listFloorPlans, () => ({ items: [], total: 0 }));
    await renderPage(<AssetPlan assetId={9} />);
    expect(await screen.findByText('Not placed on a floor plan')).toBeTruthy();
    expect(screen.getByRole('link', { name: 'Floor plans' }).getAttribute('href')).toBe('/asset/floor-plans');
  });
});
