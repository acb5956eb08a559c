import {
  getTrip,
  type HandoverInput,
  handOverTrip,
  listTrips,
  type Trip,
} from '@isotherm/contracts/waybill-trips';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it } from 'vitest';
import { fakeServer, Refusal } from '../../../shared/testing/fake-server.ts';
import { renderPage } from '../../../shared/testing/render-page.tsx';
import { configureStore, newKey, sendWaiting, useOutbox } from './handover-outbox.ts';
import { HandoverPage } from './handover-page.tsx';
import type { SavedHandover, SavedTrip } from './handover-store.ts';
import TripsPage from './waybill-trips.page.tsx';

const FROM = Date.parse('2026-05-01T08:00:00.000Z');
const TRIP: Trip = {
  id: 7,
  number: 'W-2026-88213',
  state: 'in-transport',
  organizationName: 'HQ',
  consignorUnit: 'Warehouse',
  consignorAddress: '',
  consignorContact: 'Wang Jun',
  consignorPhone: '',
  consigneeUnit: 'Hospital',
  consigneeAddress: 'Gate 2',
  consigneeContact: 'Zhang Min',
  consigneePhone: '',
  assetId: 3,
  assetName: 'Truck 1',
  deviceNumbers: [],
  driverName: null,
  goods: [{ product: 'Vaccine', batch: 'A14', quantity: 12, unit: 'boxes' }],
  profileName: null,
  low: 2,
  high: 8,
  plannedDepartureAt: '2026-05-01T08:00:00.000Z',
  plannedDeliveryAt: null,
  departedAt: '2026-05-01T08:00:00.000Z',
  endedAt: null,
  decision: null,
  note: '',
  kinds: ['deliver', 'transship', 'reject'],
  signed: null,
  preCool: null,
  tour: '',
  stop: null,
  stops: null,
  record: {
    from: FROM,
    to: FROM + 7_200_000,
    mktLimit: null,
    verdict: {
      proposal: 'reject',
      readings: 3,
      min: 4.1,
      max: 9.7,
      meanKinetic: 6,
      mktWindow: null,
      outsideMs: 1_620_000,
      bands: [],
      coverage: 0.957,
      gaps: [],
      excursions: [{ from: FROM, to: FROM + 1_620_000 }],
    },
    curve: [
      [
        [FROM, 9.7],
        [FROM + 3_600_000, 8.4],
      ],
    ],
  },
};

/** A browser whose storage is memory. */
function memory() {
  const handovers = new Map<string, SavedHandover>();
  const trips = new Map<number, SavedTrip>();
  configureStore({
    list: async () => [...handovers.values()],
    put: async (handover) => void handovers.set(handover.key, structuredClone(handover)),
    remove: async (key) => void handovers.delete(key),
    readTrip: async (id) => trips.get(id) ?? null,
    putTrip: async (trip) => void trips.set(trip.id, trip),
  });
  return handovers;
}

let handovers: Map<string, SavedHandover>;
beforeEach(() => {
  handovers = memory();
  useOutbox.setState({ entries: [], sending: null });
});

async function page(trip: Trip = TRIP) {
  const fake = fakeServer();
  fake.answer(getTrip, () => trip);
  const drawn = await renderPage(<HandoverPage id={7} person="Liu Qiang" />, { at: '/waybill/trips/7' });
  await screen.findByText(trip.number);
  const sent = () =>
    fake.called(handOverTrip).map(({ asked }) => JSON.parse(asked.fields.handover ?? '') as HandoverInput);
  return { ...drawn, fake, sent };
}

async function confirmByName(button: string) {
  await userEvent.click(screen.getByRole('button', { name: 'Confirm with the name instead' }));
  await userEvent.click(screen.getByRole('button', { name: button }));
}
const connectionLost = () => {
  throw new TypeError('Failed to fetch');
};

it('the first step shows the present temperature and the record so far', async () => {
  await page();
  expect(screen.getByText('8.4 °C')).toBeTruthy();
  expect(screen.getByText('above the limit')).toBeTruthy();
  expect(screen.getByText('Outside the stability budget')).toBeTruthy();
  expect(screen.getByText('27 min')).toBeTruthy();
});

it('a part delivery asks for a remark and a signature, is sent, and says so', async () => {
  const { fake, sent } = await page();
  fake.answer(handOverTrip, () => ({ at: '2026-05-01T13:00:00.000Z', state: 'arrived' as const }));
  await userEvent.click(screen.getByRole('button', { name: 'Continue' }));
  await userEvent.click(screen.getByRole('button', { name: 'Less' }));
  await userEvent.click(
    within(screen.getByRole('group', { name: 'Seals intact' })).getByRole('button', { name: 'No' }),
  );
  await userEvent.click(screen.getByRole('button', { name: 'Confirm delivery' }));
  expect(await screen.findByText('Sign first, or confirm with the name.')).toBeTruthy();
  expect(screen.getByText('Required.')).toBeTruthy();
  expect(handovers.size).toBe(0);
  await userEvent.type(screen.getByLabelText(/^Remark/), 'One box is missing');
  await confirmByName('Confirm delivery');
  await screen.findByText('Delivery confirmed');
  await screen.findByText(/^Sent, /);
  expect(sent()).toMatchObject([
    {
      kind: 'deliver',
      givenBy: 'Liu Qiang',
      takenBy: 'Zhang Min',
      sealsIntact: false,
      received: [{ product: 'Vaccine', quantity: 12, received: 11 }],
      remark: 'One box is missing',
      preCoolReason: '',
      signature: { kind: 'typed' },
    },
  ]);
});

it('without a connection a hand-over waits, is not confirmed twice, and is sent once with the same key', async () => {
  const { fake, sent, router } = await page();
  fake.answer(handOverTrip, connectionLost);
  await userEvent.click(screen.getByRole('button', { name: 'Continue' }));
  await confirmByName('Confirm delivery');
  await screen.findByText('Not sent yet: no connection');
  await router.navigate('/waybill/trips/7');
  await screen.findByText(/Step 1 of 3/);
  expect(screen.getByText('Not sent yet: no connection')).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Continue' })).toBeNull();

  fake.answer(handOverTrip, () => ({ at: '2026-05-01T13:00:00.000Z', state: 'arrived' as const }));
  await userEvent.click(screen.getByRole('button', { name: 'Retry' }));
  await waitFor(() => expect([...handovers.values()].map(({ state }) => state)).toEqual(['sent']), {
    timeout: 10_000,
  });
  await sendWaiting(() => undefined);
  const [first, second, ...more] = sent();
  expect(second?.requestKey).toBe(first?.requestKey);
  expect(second?.ageMs).toBeGreaterThanOrEqual(first?.ageMs ?? 0);
  expect(more).toEqual([]);
});

it('a hand-over that the server refuses says why, and can be discarded', async () => {
  const { fake, sent } = await page();
  fake.answer(handOverTrip, () => new Refusal('waybill.handed_over', 'Wu Jing has already signed.', 409));
  await userEvent.click(screen.getByRole('button', { name: 'Reject' }));
  await userEvent.type(screen.getByLabelText(/^Remark/), 'Too warm');
  await confirmByName('Confirm rejection');
  await screen.findByText('Not accepted');
  expect(screen.getByText('Wu Jing has already signed.')).toBeTruthy();
  expect(sent()).toMatchObject([{ kind: 'reject', received: [{ received: 0 }] }]);
  await sendWaiting(() => undefined);
  expect(sent()).toHaveLength(1);
  await userEvent.click(screen.getByRole('button', { name: 'Discard' }));
  const dialog = await screen.findByRole('dialog');
  await userEvent.click(within(dialog).getByRole('button', { name: 'Discard' }));
  await waitFor(() => expect(handovers.size).toBe(0));
});

it('an upload that the line cut off, and an ended session, are not refusals', async () => {
  const { fake } = await page();
  fake.answer(handOverTrip, () => new Refusal('request.malformed', 'The request is malformed.', 400));
  await userEvent.click(screen.getByRole('button', { name: 'Continue' }));
  await confirmByName('Confirm delivery');
  await screen.findByText('Not sent yet');
  expect(screen.getByText(/^The request is malformed\. Saved on this phone/)).toBeTruthy();
});

it('a trip without a connection is shown as it was last read', async () => {
  const { fake, queries } = await page();
  fake.answer(getTrip, connectionLost);
  await queries.invalidateQueries();
  expect(await screen.findByText(/^No connection\. Shown as of /)).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Continue' })).toBeTruthy();
});

it('what was signed by another account waits for this account', async () => {
  const fake = fakeServer();
  fake.answer(listTrips, () => []);
  handovers.set('1', {
    key: '1',
    username: 'other.driver',
    waybillId: 7,
    number: 'W-1',
    signedAt: FROM,
    input: {
      requestKey: newKey(),
      kind: 'deliver',
      givenBy: 'A',
      takenBy: 'B',
      assetId: null,
      sealsIntact: true,
      undamaged: true,
      received: [],
      remark: '',
      preCoolReason: '',
      signature: { kind: 'typed' },
    },
    photos: [],
    state: 'waiting',
    failure: '',
    sentAt: null,
  });
  await renderPage(<TripsPage />);
  await sendWaiting(() => undefined);
  await screen.findByText('Saved by other.driver. Log in with this account to send it.');
  expect(screen.getByRole('button', { name: 'Retry' })).toHaveProperty('disabled', true);
  expect(await screen.findByText('No trips')).toBeTruthy();
  expect(fake.called(handOverTrip)).toEqual([]);
});
