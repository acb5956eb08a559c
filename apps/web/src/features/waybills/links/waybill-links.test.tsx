import {
  createWaybillLink,
  listWaybillLinks,
  revokeWaybillLink,
  type Shipment,
  viewShipment,
  type WaybillLink,
} from '@isotherm/contracts/waybill-links';
import type { WaybillDetail } from '@isotherm/contracts/waybills';
import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { fakeServer, Refusal } from '../../../shared/testing/fake-server.ts';
import { holding, renderPage } from '../../../shared/testing/render-page.tsx';
import { ShipmentPage } from './shipment-page.tsx';
import { WaybillLinks } from './waybill-links.tsx';

const TOKEN = 'abcdefghijklmnopqrstuv';
const FROM = Date.parse('2026-05-01T08:00:00.000Z');
const HOUR = 3_600_000;
const LINK: WaybillLink = {
  id: 4,
  createdAt: '2026-05-01T08:00:00.000Z',
  expiresAt: '2026-05-08T08:00:00.000Z',
  lastOpenedAt: '2026-05-02T08:00:00.000Z',
};
const SHIPMENT: Shipment = {
  number: 'W-2026-88213',
  state: 'in-transport',
  consignorUnit: 'Warehouse',
  consigneeUnit: 'Hospital',
  goods: [{ product: 'Vaccine', batch: 'A14', quantity: 2400, unit: 'doses' }],
  profileName: 'Hepatitis B vaccine',
  low: 2,
  high: 8,
  plannedDepartureAt: '2026-05-01T08:00:00.000Z',
  plannedDeliveryAt: null,
  departedAt: '2026-05-01T08:00:00.000Z',
  endedAt: null,
  decision: null,
  organizationName: 'HQ',
  steps: [{ action: 'depart', at: '2026-05-01T08:00:00.000Z', person: 'Wang Jun' }],
  arrival: null,
  record: {
    from: FROM,
    to: FROM + 5 * HOUR,
    mktLimit: null,
    verdict: {
      proposal: 'within-budget',
      readings: 300,
      min: 4.1,
      max: 9.7,
      meanKinetic: 5.72,
      mktWindow: null,
      outsideMs: 27 * 60_000,
      bands: [],
      coverage: 0.957,
      gaps: [{ from: FROM + HOUR, to: FROM + 2 * HOUR }],
      excursions: [{ from: FROM, to: FROM + HOUR }],
    },
    curve: [
      [
        [FROM, 5],
        [FROM + HOUR, 9.7],
      ],
      [
        [FROM + 2 * HOUR, 5],
        [FROM + 5 * HOUR, 4.1],
      ],
    ],
  },
  track: {
    lines: [
      [
        [10, 10],
        [400, 100],
      ],
    ],
    marks: [
      [10, 10],
      [400, 100],
    ],
    scale: { metres: 20_000, length: 90 },
  },
};

it('the page of a link shows the shipment, its curve, route and steps', async () => {
  fakeServer().answer(viewShipment, () => SHIPMENT);
  await renderPage(<ShipmentPage token={TOKEN} />);
  expect(await screen.findByRole('heading', { name: 'W-2026-88213' })).toBeTruthy();
  expect(screen.getByText('Within the stability budget')).toBeTruthy();
  expect(screen.getByText('so far')).toBeTruthy();
  expect(screen.getByText('4.1 °C, 9.7 °C')).toBeTruthy();
  expect(screen.getByRole('img', { name: /^Temperatures from/ })).toBeTruthy();
  expect(screen.getByRole('img', { name: 'Route, north up' })).toBeTruthy();
  expect(screen.getByText('20 km')).toBeTruthy();
  expect(screen.getByText('Depart · Wang Jun')).toBeTruthy();
});

it('a link that is not valid shows only that', async () => {
  fakeServer().answer(viewShipment, () => new Refusal('link.not_found', 'This link is not valid.', 404));
  await renderPage(<ShipmentPage token={TOKEN} />);
  expect(await screen.findByText('This link is not valid.')).toBeTruthy();
});

it('a link is created and its address shown once; links say when they were last opened, and are revoked', async () => {
  const fake = fakeServer();
  holding(fake, 'waybill-list:view', 'waybill-list:edit');
  let links: WaybillLink[] = [LINK];
  fake.answer(listWaybillLinks, () => links);
  fake.answer(createWaybillLink, () => {
    links = [{ ...LINK, id: 5, lastOpenedAt: null }, LINK];
    return { token: TOKEN, links };
  });
  fake.answer(revokeWaybillLink, () => [LINK]);
  await renderPage(<WaybillLinks waybill={{ id: 7 } as WaybillDetail} />, { at: '/' });
  expect(await screen.findByText(/last opened/)).toBeTruthy();
  await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Valid for' }), '30 days');
  await userEvent.click(screen.getByRole('button', { name: 'Create link' }));
  expect(await screen.findByText(new RegExp(`/link/shipment/${TOKEN}$`))).toBeTruthy();
  expect(fake.called(createWaybillLink)[0]?.asked.json).toEqual({ days: 30 });
  await userEvent.click(screen.getByRole('button', { name: "I've saved it" }));
  expect(screen.getByText(/not opened yet/)).toBeTruthy();
  const [newest] = screen.getAllByRole('button', { name: /^Revoke the link/ });
  await userEvent.click(newest as HTMLElement);
  expect(await screen.findByText('Link revoked')).toBeTruthy();
  expect(screen.queryByText(/not opened yet/)).toBeNull();
});

it('those who may not edit waybills see no links', async () => {
  const fake = fakeServer();
  holding(fake, 'waybill-list:view');
  await renderPage(<WaybillLinks waybill={{ id: 7 } as WaybillDetail} />, { at: '/' });
  expect(fake.called(listWaybillLinks)).toEqual([]);
});
