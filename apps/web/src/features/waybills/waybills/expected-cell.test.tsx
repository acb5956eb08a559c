import { listWaybillArrivals, type Waybill } from '@isotherm/contracts/waybills';
import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { fakeServer } from '../../../shared/testing/fake-server.ts';
import { renderPage } from '../../../shared/testing/render-page.tsx';
import { ExpectedCell } from './expected-cell.tsx';

const waybill = (id: number, state: Waybill['state'], arrivalFenceIds: number[]) =>
  ({ id, state, arrivalFenceIds }) as Waybill;

it('the rows of a list ask for their arrivals together, and only those under way with a destination', async () => {
  const fake = fakeServer();
  fake.answer(listWaybillArrivals, () => [
    { id: 1, state: 'known', at: '2026-05-01T10:00:00.000Z', isLate: true },
    { id: 2, state: 'standing', at: null, isLate: false },
    { id: 3, state: 'stale-position', at: null, isLate: false },
  ]);
  const rows = [
    waybill(1, 'in-transport', [9]),
    waybill(2, 'in-transport', [9]),
    waybill(3, 'in-transport', [9]),
    waybill(4, 'in-transport', []),
    waybill(5, 'arrived', [9]),
  ];
  await renderPage(
    <ul>
      {rows.map((each) => (
        <li key={each.id}>
          <ExpectedCell waybill={each} />
        </li>
      ))}
    </ul>,
    { at: '/' },
  );
  expect(await screen.findByText('Late')).toBeTruthy();
  expect(screen.getByText('Standing')).toBeTruthy();
  expect(screen.getByText('Not known')).toBeTruthy();
  const asked = fake.called(listWaybillArrivals).map((each) => each.asked.query.get('ids'));
  expect(asked).toEqual(['1,2,3']);
});
