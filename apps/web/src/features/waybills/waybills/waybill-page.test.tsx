import {
  type ArrivalView,
  decideWaybill,
  deliverWaybill,
  departWaybill,
  getTripRecord,
  getTripRoute,
  getWaybill,
  getWaybillArrival,
  printTripReport,
  type ShownRecord,
  type TripRoute,
  type WaybillDetail,
} from '@isotherm/contracts/waybills';
import { cleanup, fireEvent, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { fakeServer, Refusal } from '../../../shared/testing/fake-server.ts';
import { holding, renderPage } from '../../../shared/testing/render-page.tsx';
import type { TripViews } from './trip-panel.tsx';
import { WaybillPage } from './waybill-page.tsx';

const HOUR = 3_600_000;
const DEPARTED = Date.parse('2026-05-01T08:00:00.000Z');
const IN_TRANSPORT: WaybillDetail = {
  id: 7,
  organizationId: 1,
  organizationName: 'HQ',
  number: 'W-2026-88213',
  state: 'in-transport',
  consignorUnit: 'Warehouse',
  consignorAddress: '',
  consignorContact: '',
  consignorPhone: '',
  consigneeUnit: 'Hospital',
  consigneeAddress: '',
  consigneeContact: 'Zhang Min',
  consigneePhone: '',
  assetId: 3,
  assetName: 'Truck 1',
  driverId: null,
  driverName: null,
  plannedDepartureAt: '2026-05-01T08:00:00.000Z',
  plannedDeliveryAt: null,
  profileId: 1,
  profileName: 'Hepatitis B vaccine',
  temperatureLow: null,
  temperatureHigh: null,
  low: 2,
  high: 8,
  preCoolMinutes: null,
  preCool: null,
  notices: [],
  tour: '',
  stop: null,
  stops: null,
  consigneeEmail: '',
  consigneeLanguage: 'en',
  goods: [{ product: 'Vaccine', batch: 'A14', quantity: 2400, unit: 'doses' }],
  note: '',
  departureFenceId: null,
  departureFenceName: null,
  arrivalFenceIds: [],
  arrivalFenceNames: [],
  departAtTime: false,
  departByButton: false,
  deliverAtTime: false,
  deliverByButton: false,
  deviceIds: [],
  deviceNumbers: [],
  devices: [],
  events: [],
  departedAt: '2026-05-01T08:00:00.000Z',
  endedAt: null,
  decision: null,
  changedBy: 'demo.manager',
  changedAt: '2026-05-01T08:00:00.000Z',
  legs: [],
  custody: [
    {
      id: 1,
      action: 'depart',
      at: '2026-05-01T08:00:00.000Z',
      username: 'demo.manager',
      person: 'Wang Jun',
      note: 'Sealed',
      assetName: 'Truck 1',
      means: null,
      handover: null,
    },
  ],
  actions: ['deliver', 'reject', 'transship', 'adjust'],
  decisionReason: '',
  decidedBy: null,
  decidedAt: null,
};
const ARRIVED: WaybillDetail = {
  ...IN_TRANSPORT,
  state: 'arrived',
  endedAt: '2026-05-01T13:00:00.000Z',
  actions: [],
};
const RECORD: ShownRecord = {
  from: DEPARTED,
  to: DEPARTED + 5 * HOUR,
  judgedUntil: null,
  profileName: 'Hepatitis B vaccine',
  profileVersion: 3,
  mktLimit: 8,
  activationKj: 83.144,
  probes: [
    {
      names: ['Front'],
      verdict: {
        proposal: 'within-budget',
        readings: 300,
        min: 4.1,
        max: 9.7,
        meanKinetic: 5.72,
        mktWindow: {
          windowMs: 24 * HOUR,
          value: 5.72,
          from: DEPARTED,
          to: DEPARTED + 5 * HOUR,
          readings: 300,
          coverage: 0.957,
        },
        outsideMs: 27 * 60_000,
        bands: [{ low: 8, high: 25, allowedMs: 12 * HOUR, usedMs: 27 * 60_000 }],
        coverage: 0.957,
        gaps: [{ from: DEPARTED, to: DEPARTED + HOUR }],
        excursions: [{ from: DEPARTED, to: DEPARTED + HOUR }],
      },
    },
  ],
  legs: [
    {
      assetId: 3,
      assetName: 'Truck 1',
      from: DEPARTED,
      to: DEPARTED + 5 * HOUR,
      channels: [{ channelId: 1, name: 'Front' }],
      switches: [{ channelId: 2, name: 'Back door' }],
    },
  ],
  excursions: [
    {
      from: DEPARTED,
      to: DEPARTED + HOUR,
      peak: 9.7,
      alarm: {
        id: 41,
        level: 2,
        reason: 'door-open',
        cause: 'Unloading at Wuxi',
        correctiveAction: 'Door closed',
        acknowledgedBy: 'Zhao Min',
        acknowledgedAt: '2026-05-01T09:00:00.000Z',
      },
    },
    { from: DEPARTED + 3 * HOUR, to: DEPARTED + 3 * HOUR + 600_000, peak: 8.4, alarm: null },
  ],
};
const ROUTE: TripRoute = {
  planned: {
    by: 'straight-line',
    places: [
      { latitude: 31, longitude: 121 },
      { latitude: 32, longitude: 120 },
    ],
  },
  fences: [],
  legs: [
    {
      assetId: 3,
      assetName: 'Truck 1',
      from: DEPARTED,
      to: DEPARTED + 5 * HOUR,
      at: [DEPARTED, DEPARTED + HOUR],
      latitude: [31, 31.5],
      longitude: [121, 120.5],
      speedKmh: [60, 71],
      lineEnds: [1],
      stops: [{ from: DEPARTED + 2 * HOUR, to: DEPARTED + 2 * HOUR + 660_000, latitude: 31, longitude: 121 }],
      distanceM: 70_000,
    },
  ],
};
const views: TripViews = {
  map: ({ route, marks, cursor }) => (
    <p>{`Map of ${route.legs.length} leg, ${marks.map(({ name }) => name).join(', ')}, at ${cursor}`}</p>
  ),
  chart: ({ assetName, switches }, { bands, cursor }) => (
    <p>
      {[
        `Chart of ${assetName}`,
        ...switches.map(({ name }) => name),
        ...bands.map(({ label }) => label),
      ].join('; ')}
      {` at ${cursor}`}
    </p>
  ),
};

const ARRIVAL: ArrivalView = {
  state: 'known',
  at: '2026-11-19T11:38:00.000Z',
  distanceM: 87_400,
  by: 'straight-line',
  stopsBefore: 1,
  positionAt: '2026-11-19T09:38:00.000Z',
  isLate: true,
  forecast: {
    temperatureC: 7.4,
    bands: [{ low: 8, high: 25, allowedMs: 12 * HOUR, usedMs: 2 * HOUR }],
    lasts: false,
    lastsUntil: '2026-11-19T11:00:00.000Z',
  },
};

async function page(waybill: WaybillDetail, ...actions: string[]) {
  return pageWith(RECORD, waybill, ...actions);
}

async function pageWith(record: ShownRecord, waybill: WaybillDetail, ...actions: string[]) {
  return drawnPage(views, record, waybill, ...actions);
}

async function drawnPage(
  shown: TripViews,
  record: ShownRecord,
  waybill: WaybillDetail,
  ...actions: string[]
) {
  const fake = fakeServer();
  holding(fake, ...['view', ...actions].map((action) => `waybill-list:${action}`));
  fake.answer(getWaybill, () => waybill);
  fake.answer(getTripRecord, () => record);
  fake.answer(getTripRoute, () => ROUTE);
  fake.answer(getWaybillArrival, () => ARRIVAL);
  await renderPage(<WaybillPage id={7} {...shown} />, { at: '/' });
  await screen.findByText(/^Chart of Truck 1/);
  return fake;
}

it('the page shows the verdict, the budget and the chain of custody', async () => {
  await page(ARRIVED);
  expect(screen.getByText('Within the stability budget')).toBeTruthy();
  expect(screen.getByText('27 min of 12 h used').parentElement?.textContent).toBe(
    '27 min of 12 h used · 11 h 33 min left',
  );
  expect(screen.getByText('5.72 °C (limit 8.0 °C)')).toBeTruthy();
  expect(screen.getByText('95 %, 1 gap')).toBeTruthy();
  expect(screen.getByText('Depart · Wang Jun · Truck 1')).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Release' })).toBeNull();
});

it('the page shows the mean kinetic temperature of the trip and of its worst window, with what went into them', async () => {
  const [probe] = RECORD.probes as [ShownRecord['probes'][number]];
  const mktWindow = {
    windowMs: 24 * HOUR,
    value: 6.14,
    from: DEPARTED,
    to: DEPARTED + 24 * HOUR,
    readings: 280,
    coverage: 0.934,
  };
  await pageWith({ ...RECORD, probes: [{ ...probe, verdict: { ...probe.verdict, mktWindow } }] }, ARRIVED);
  expect(screen.getByText('Whole trip: 5.72 °C, 300 readings')).toBeTruthy();
  expect(
    screen.getByText(/^Highest in any 24 h: 6\.14 °C, .* – .*, 280 readings, 93 % covered$/),
  ).toBeTruthy();
  // The window decides, and not the trip.
  const decides = screen.getByText('Mean kinetic temperature, highest in any 24 h').parentElement;
  expect(decides?.textContent).toMatch(/6\.14 °C \(limit 8\.0 °C\)$/);
  expect(screen.getByText('Activation energy 83.144 kJ/mol, weighted by time (USP <1079.2>)')).toBeTruthy();
});

it('the page says that the readings span less than the window, and by how much a budget is exceeded', async () => {
  const [probe] = RECORD.probes as [ShownRecord['probes'][number]];
  const bands = [{ low: 8, high: 25, allowedMs: HOUR, usedMs: 1.5 * HOUR }];
  await pageWith({ ...RECORD, probes: [{ ...probe, verdict: { ...probe.verdict, bands } }] }, ARRIVED);
  expect(screen.getByText('The readings span less time than the window of 24 h.')).toBeTruthy();
  expect(screen.getByText(/exceeded by 30 min/)).toBeTruthy();
});

it('excursions are listed with their causes, and lead map and chart to their time', async () => {
  await page(ARRIVED);
  const panel = within(screen.getByRole('heading', { name: 'Excursions' }).closest('section') as HTMLElement);
  expect(panel.getByText('Excursion, 1 h 00 min · peak 9.7 °C')).toBeTruthy();
  expect(panel.getByText(/Door left open · Unloading at Wuxi · Door closed/)).toBeTruthy();
  expect(panel.getByText(/^Acknowledged · Zhao Min · /)).toBeTruthy();
  expect(panel.getByText('No alarm was raised.')).toBeTruthy();
  const [, second] = panel.getAllByRole('button');
  await userEvent.click(second as HTMLElement);
  expect(screen.getByText(`Map of 1 leg, Delivered, at ${DEPARTED + 3 * HOUR}`)).toBeTruthy();
});

it('the next excursion is shown on map and chart, after the last one the first again', async () => {
  const legs = [{ assetId: 3, assetName: 'Truck 1', from: '2026-05-01T08:00:00.000Z', until: null }];
  await page({ ...ARRIVED, legs });
  expect(screen.getByText('Map of 1 leg, Departed, Delivered, at null')).toBeTruthy();
  const chart = () => screen.getByText(/^Chart of Truck 1; Back door; Excursion, 10 min/).textContent;
  const next = screen.getByRole('button', { name: 'Next excursion' });
  for (const at of [DEPARTED, DEPARTED + 3 * HOUR, DEPARTED]) {
    await userEvent.click(next);
    expect(chart()).toMatch(new RegExp(` at ${at}$`));
    expect(screen.getByText(new RegExp(`^Map of .* at ${at}$`))).toBeTruthy();
    expect(screen.getByRole('status').textContent).toMatch(/^Map and chart show /);
  }
});

it('what happened on the trip is a list in order of time, and leads map and chart to it', async () => {
  await page({
    ...ARRIVED,
    legs: [{ assetId: 3, assetName: 'Truck 1', from: '2026-05-01T08:00:00.000Z', until: null }],
  });
  const events = within(screen.getByRole('list', { name: 'Events of the trip' }));
  const buttons = events.getAllByRole('button');
  expect(buttons.map(({ textContent }) => (textContent ?? '').replace(/^.*\d\d:\d\d(:\d\d)?/, ''))).toEqual([
    'Departed',
    '2Excursion, 1 h 00 min',
    'Stop, 11 min',
    'Excursion, 10 min',
    'Delivered',
  ]);
  await userEvent.click(buttons[2] as HTMLElement);
  expect(screen.getByText(`Map of 1 leg, Departed, Delivered, at ${DEPARTED + 2 * HOUR}`)).toBeTruthy();
  expect(buttons[2]?.getAttribute('aria-current')).toBe('true');
});

it('a pointer that moves over a chart draws nothing again, and screen readers say nothing of it', async () => {
  const drawn = { marks: new Set<unknown>(), bands: new Set<unknown>(), cursors: new Set<unknown>() };
  const spied: TripViews = {
    map: ({ marks }) => {
      drawn.marks.add(marks);
      return null;
    },
    chart: ({ assetName }, { bands, cursor, onCursor }) => {
      drawn.bands.add(bands);
      drawn.cursors.add(cursor);
      return <p onPointerMove={() => onCursor((cursor ?? DEPARTED) + 60_000)}>{`Chart of ${assetName}`}</p>;
    },
  };
  await drawnPage(spied, RECORD, ARRIVED);
  const chart = screen.getByText('Chart of Truck 1');
  await screen.findByRole('list', { name: 'Events of the trip' });
  drawn.marks.clear();
  drawn.bands.clear();
  for (let step = 0; step < 5; step++) fireEvent.pointerMove(chart);
  expect(drawn.cursors.size).toBe(6);
  expect([drawn.marks.size, drawn.bands.size]).toEqual([1, 1]);
  expect(screen.getByText(/^Map and chart show /)).toBeTruthy();
  expect(screen.getByRole('status').textContent).toBe('');
});

it('if the route cannot be read, the page says so and still lists what happened', async () => {
  const fake = fakeServer();
  holding(fake, 'waybill-list:view');
  fake.answer(getWaybill, () => ARRIVED);
  fake.answer(getTripRecord, () => RECORD);
  fake.answer(getTripRoute, () => new Refusal('error.internal', 'The server failed.', 500));
  await renderPage(<WaybillPage id={7} {...views} />, { at: '/' });
  await screen.findByText('The server failed.');
  const events = within(await screen.findByRole('list', { name: 'Events of the trip' }));
  expect(events.getByText('Excursion, 10 min')).toBeTruthy();
  expect(events.queryByText(/^Stop/)).toBeNull();
});

it('a trip under way is read again each minute, its route every five, and neither while the tab is hidden', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  const visibility = vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('visible');
  try {
    const fake = await page(IN_TRANSPORT);
    await screen.findByText(/^Map of 1 leg/);
    const called = () => [getTripRecord, getTripRoute].map((route) => fake.called(route).length);
    expect(called()).toEqual([1, 1]);
    await vi.advanceTimersByTimeAsync(4.5 * 60_000);
    expect(called()).toEqual([5, 1]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(called()).toEqual([6, 2]);
    visibility.mockReturnValue('hidden');
    await vi.advanceTimersByTimeAsync(20 * 60_000);
    expect(called()).toEqual([6, 2]);
  } finally {
    visibility.mockRestore();
    vi.useRealTimers();
  }
});

it('the replay of the vehicle opens for the time of the trip, for those who may see it', async () => {
  const fake = await page(ARRIVED);
  expect(screen.queryByRole('link', { name: 'Open replay' })).toBeNull();
  holding(fake, 'waybill-list:view', 'map-replay:view');
  cleanup();
  await renderPage(<WaybillPage id={7} {...views} />, { at: '/' });
  const link = await screen.findByRole('link', { name: 'Open replay' });
  expect(link.getAttribute('href')).toBe(
    '/map/replay?assets=3&from=2026-05-01T08%3A00%3A00.000Z&to=2026-05-01T13%3A00%3A00.000Z',
  );
});

it('the page says that only the first 60 days of a longer trip are judged', async () => {
  const [probe] = RECORD.probes as [ShownRecord['probes'][number]];
  const verdict = { ...probe.verdict, proposal: 'insufficient' as const, coverage: 0.97 };
  await pageWith({ ...RECORD, judgedUntil: DEPARTED + HOUR, probes: [{ ...probe, verdict }] }, ARRIVED);
  expect(screen.getByText('Not enough data')).toBeTruthy();
  expect(screen.getByText(/^Only the first 60 days of the trip are judged, until .*2026/)).toBeTruthy();
  expect(screen.queryByText(/Less than 95 %/)).toBeNull();
});

it('a delivery is recorded with the person who received the goods', async () => {
  const fake = await page(IN_TRANSPORT, 'transport');
  fake.answer(deliverWaybill, () => ARRIVED);
  expect(screen.getByText('so far')).toBeTruthy();
  await userEvent.click(await screen.findByRole('button', { name: 'Confirm delivery' }));
  const drawer = within(await screen.findByRole('dialog'));
  await userEvent.click(drawer.getByRole('button', { name: 'Confirm delivery' }));
  expect(await drawer.findByText('Required.')).toBeTruthy();
  await userEvent.type(drawer.getByLabelText(/^Received by/), 'Zhang Min');
  await userEvent.click(drawer.getByRole('button', { name: 'Confirm delivery' }));
  await screen.findByText('Recorded');
  expect(fake.called(deliverWaybill)[0]?.asked.json).toMatchObject({ person: 'Zhang Min', note: '' });
});

const MIN = 60_000;
const PRE_COOL = {
  state: 'waiting' as const,
  requiredMs: 30 * MIN,
  insideMs: 12 * MIN,
  missingMs: 18 * MIN,
  at: '2026-11-19T06:00:00.000Z',
  assetName: 'Truck 1',
  exception: null,
};

it('the page says how much pre-cooling is missing, and a departure without it needs a reason', async () => {
  const fake = fakeServer();
  holding(fake, 'waybill-list:view', 'waybill-list:transport');
  const planned: WaybillDetail = {
    ...IN_TRANSPORT,
    state: 'not-shipped',
    departedAt: null,
    actions: ['depart', 'adjust'],
    preCool: PRE_COOL,
  };
  fake.answer(getWaybill, () => planned);
  fake.answer(getTripRoute, () => ({ planned: null, fences: [], legs: [] }));
  await renderPage(<WaybillPage id={7} {...views} />, { at: '/' });
  await screen.findByText(/^No positions or geofences for this trip\./);
  expect(screen.queryByText(/^Map of/)).toBeNull();
  await screen.findByText('In range for 12 min of 30 min. 18 min still missing.');
  fake.answer(departWaybill, () => new Refusal('waybill.pre_cool', '18 min are missing.', 409));
  await userEvent.click(await screen.findByRole('button', { name: 'Depart' }));
  const drawer = within(await screen.findByRole('dialog'));
  await userEvent.click(drawer.getByRole('button', { name: 'Depart' }));
  await drawer.findByText('18 min are missing.');
  const exception = { username: 'demo.manager', reason: 'The ferry leaves', isAutomatic: false };
  const departed: WaybillDetail = { ...IN_TRANSPORT, preCool: { ...PRE_COOL, exception } };
  fake.answer(getTripRecord, () => RECORD);
  fake.answer(departWaybill, () => departed);
  fake.answer(getWaybill, () => departed);
  await userEvent.type(drawer.getByLabelText(/^Reason for departing/), 'The ferry leaves');
  await userEvent.click(drawer.getByRole('button', { name: 'Depart' }));
  await screen.findByText('Departed without pre-cooling: in range for 12 min of 30 min.');
  expect(screen.getByText('The ferry leaves (demo.manager)')).toBeTruthy();
  expect(fake.called(departWaybill)[1]?.asked.json).toMatchObject({ preCoolReason: 'The ferry leaves' });
});

it('the page shows what the consignee was told, and what became of the e-mails', async () => {
  const notice = {
    id: 1,
    kind: 'excursion' as const,
    about: '2026-11-19T07:00:00.000Z',
    at: '2026-11-19T07:12:00.000Z',
    recipient: 'pharmacy@hospital2.example',
    state: 'sent' as const,
    error: '',
    until: '2026-11-19T07:11:00.000Z',
    expectedAt: null,
    peak: 9.3,
  };
  const delay = {
    ...notice,
    id: 2,
    kind: 'delay' as const,
    state: 'failed' as const,
    error: '550 no such mailbox',
    expectedAt: '2026-11-19T09:00:00.000Z',
    peak: null,
  };
  await page({ ...IN_TRANSPORT, notices: [notice, delay] });
  expect(screen.getByText(/^Excursion since .*, worst 9\.3 °C$/)).toBeTruthy();
  expect(screen.getByText('E-mail to pharmacy@hospital2.example: sent')).toBeTruthy();
  expect(screen.getByText(/^Delay: planned .*, expected /)).toBeTruthy();
  expect(screen.getByText('E-mail to pharmacy@hospital2.example: failed')).toBeTruthy();
  expect(screen.getByText('550 no such mailbox')).toBeTruthy();
});

it('the page shows the stops of the tour, and what should have been delivered before', async () => {
  const stop = {
    id: 5,
    number: 'W-2026-88212',
    stop: 1,
    is: 'next' as const,
    state: 'in-transport' as const,
    assetName: 'Truck 1',
    consigneeUnit: 'Kunshan health centre',
    consigneeAddress: '',
    plannedDeliveryAt: null,
    endedAt: null,
    isPart: false,
  };
  const done = {
    ...stop,
    id: 4,
    number: 'W-2026-88211',
    is: 'done' as const,
    state: 'arrived' as const,
    isPart: true,
  };
  const own = { ...stop, id: 7, number: 'W-2026-88213', stop: 2, is: 'later' as const };
  await page({ ...IN_TRANSPORT, stops: { number: 'T-412', stops: [done, stop, own] } });
  expect(screen.getByRole('heading', { name: 'Tour T-412' })).toBeTruthy();
  expect(screen.getByText('1 of 3 deliveries done')).toBeTruthy();
  expect(screen.getByText('Earlier stops that are not delivered yet: W-2026-88212')).toBeTruthy();
  expect(screen.getByText('Part delivery')).toBeTruthy();
  expect(screen.getByRole('link', { name: 'W-2026-88212' }).getAttribute('href')).toBe('/waybill/list/5');
});

it('the page shows the expected arrival, how it is estimated, and whether the budget lasts', async () => {
  const fake = await page(IN_TRANSPORT);
  await screen.findByText('Late');
  expect(screen.getByText('87 km left in a straight line · 1 stop before')).toBeTruthy();
  expect(screen.getByText(/^The stability budget is expected to be exceeded at /)).toBeTruthy();
  expect(screen.getByText('Expected at arrival: 7.4 °C · 2 h 00 min of 12 h used')).toBeTruthy();
  expect(fake.called(getWaybillArrival)).toHaveLength(1);
});

it('a shipment that has arrived has no expected arrival', async () => {
  await page(ARRIVED);
  expect(screen.queryByText('Expected arrival')).toBeNull();
});

it('the goods are released with a reason, by those who may decide', async () => {
  const fake = await page(ARRIVED, 'decide');
  fake.answer(decideWaybill, () => ({ ...ARRIVED, decision: 'released' as const }));
  await userEvent.click(await screen.findByRole('button', { name: 'Release' }));
  const dialog = within(await screen.findByRole('dialog'));
  await userEvent.type(dialog.getByLabelText(/Reason/), 'Within the budget');
  await userEvent.click(dialog.getByRole('button', { name: 'Release' }));
  await expect
    .poll(() => fake.called(decideWaybill)[0]?.asked.json)
    .toEqual({
      decision: 'released',
      reason: 'Within the budget',
      seen: { proposal: 'within-budget', readings: 300, decidedAt: null },
    });
});

it('a verdict that has changed meanwhile is loaded again and shown before the goods are released', async () => {
  const fake = await page(ARRIVED, 'decide');
  const [probe] = RECORD.probes as [ShownRecord['probes'][number]];
  const late = {
    ...RECORD,
    probes: [{ ...probe, verdict: { ...probe.verdict, proposal: 'reject' as const, readings: 310 } }],
  };
  fake.answer(decideWaybill, () => new Refusal('waybill.verdict_changed', 'It has changed.', 409));
  await userEvent.click(await screen.findByRole('button', { name: 'Release' }));
  const dialog = within(await screen.findByRole('dialog'));
  fake.answer(getTripRecord, () => late);
  await userEvent.type(dialog.getByLabelText(/Reason/), 'Within the budget');
  await userEvent.click(dialog.getByRole('button', { name: 'Release' }));
  await dialog.findByText('Verdict: Within the stability budget → Outside the stability budget');
  expect(dialog.getByText('Readings: 300 → 310')).toBeTruthy();
  expect(dialog.getByLabelText(/Reason/)).toHaveProperty('value', 'Within the budget');
  fake.answer(decideWaybill, () => ({ ...ARRIVED, decision: 'released' as const }));
  await userEvent.click(dialog.getByRole('button', { name: 'Release' }));
  await expect
    .poll(() => fake.called(decideWaybill).at(-1)?.asked.json)
    .toMatchObject({ seen: { proposal: 'reject', readings: 310, decidedAt: null } });
});

it('waybill and report of a trip are saved as PDF, in the time zone of the user', async () => {
  const save = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockReturnValue();
  URL.createObjectURL = () => 'blob:report';
  const fake = await page(ARRIVED);
  fake.answer(printTripReport, () => ({ fileName: 'trip-7.pdf', content: 'JVBERg==' }));
  await userEvent.click(screen.getByRole('button', { name: 'Create trip report' }));
  await vi.waitFor(() => expect(save).toHaveBeenCalledOnce());
  expect(fake.called(printTripReport)[0]?.asked.query?.get('zone')).toBeTruthy();
  expect(save.mock.contexts[0]).toHaveProperty('download', 'W-2026-88213 report.pdf');
  save.mockRestore();
  expect(screen.getByRole('button', { name: 'Print waybill' })).toHaveProperty('disabled', false);
});

it('the page shows devices of the trip, how it starts and ends, and events of other systems', async () => {
  await page({
    ...IN_TRANSPORT,
    departByButton: true,
    deliverAtTime: true,
    devices: [
      {
        id: 5,
        number: '31020201',
        name: 'Logger 5',
        boundAt: '2026-05-01T08:00:00.000Z',
        releasedAt: null,
        homeAssetName: 'Store 1',
        missed: null,
      },
      {
        id: 6,
        number: '31020202',
        name: '',
        boundAt: null,
        releasedAt: null,
        homeAssetName: null,
        missed: 'on-trip',
      },
    ],
    events: [
      {
        id: 1,
        at: '2026-05-01T09:00:00.000Z',
        bizStep: 'transporting',
        place: 'urn:epc:id:sgln:1',
        temperatures: { min: 4, max: 8 },
        isStep: false,
        username: 'carrier.api',
      },
    ],
  });
  const panel = async (title: string) =>
    within((await screen.findByRole('heading', { name: title })).closest('section') as HTMLElement);
  const devices = await panel('Devices for this trip');
  expect(devices.getByText('31020201 · Logger 5')).toBeTruthy();
  expect(devices.getByText('Returns to Store 1')).toBeTruthy();
  expect(devices.getByText('Not bound: it was on another trip')).toBeTruthy();
  const events = await panel('Events from other systems');
  expect(events.getByText('transporting')).toBeTruthy();
  expect(events.getByText(/4\.0 °C to 8\.0 °C/)).toBeTruthy();
  expect(screen.getByText('By device button')).toBeTruthy();
  expect(screen.getByText('At the planned time')).toBeTruthy();
});
