import {
  createHoliday,
  editHoliday,
  getHoliday,
  type Holiday,
  listHolidays,
} from '@isotherm/contracts/holidays';
import { listOrganizations } from '@isotherm/contracts/organizations';
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { fakeServer, Refusal } from '../../../shared/testing/fake-server.ts';
import { anOrganizationNode } from '../../../shared/testing/identity-data.ts';
import { holding, renderPage } from '../../../shared/testing/render-page.tsx';
import HolidaysPage from './alarm-holidays.page.tsx';

const CHRISTMAS: Holiday = {
  id: 7,
  organizationId: 1,
  organizationName: 'HQ',
  date: '2030-12-25',
  name: 'Christmas',
  isPast: false,
  changedBy: 'demo.manager',
  changedAt: '2026-05-01T08:00:00.000Z',
};

async function page(at: string, holiday = CHRISTMAS, ...actions: string[]) {
  const fake = fakeServer();
  holding(fake, ...['view', ...actions].map((action) => `alarm-holidays:${action}`));
  fake.answer(listOrganizations, () => [anOrganizationNode()]);
  fake.answer(listHolidays, () => ({ items: [holiday], total: 1 }));
  fake.answer(getHoliday, () => holiday);
  await renderPage(<HolidaysPage />, { at });
  await screen.findByText('25 Dec 2030');
  return fake;
}

it('a user with read permission only sees the holidays and cannot change them', async () => {
  await page('/');
  expect(screen.getByText('Christmas')).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Add holiday' })).toBeNull();
});

it('a date that has begun is refused at its field', async () => {
  const fake = await page('/?holiday=7', CHRISTMAS, 'edit');
  const past = 'This date has begun. Holidays can be added and changed until the day before.';
  fake.answer(editHoliday, () => new Refusal('holiday.past', past, 422));
  const drawer = within(await screen.findByRole('dialog'));
  await userEvent.type(drawer.getByLabelText(/^Name/), ' Day');
  await userEvent.click(drawer.getByRole('button', { name: 'Save' }));
  expect(await drawer.findByText(past)).toBeTruthy();
  expect(fake.called(editHoliday)[0]?.asked.json).toEqual({
    organizationId: 1,
    date: '2030-12-25',
    name: 'Christmas Day',
  });
});

it('a past holiday is marked and its fields cannot be edited', async () => {
  await page('/?holiday=7', { ...CHRISTMAS, isPast: true }, 'edit');
  expect(screen.getByText('Past')).toBeTruthy();
  const drawer = within(await screen.findByRole('dialog'));
  expect((drawer.getByLabelText(/^Name/) as HTMLInputElement).disabled).toBe(true);
});

it('a new holiday needs a date', async () => {
  const fake = await page('/?new=1', CHRISTMAS, 'edit');
  fake.answer(createHoliday, () => CHRISTMAS);
  const drawer = within(await screen.findByRole('dialog'));
  await userEvent.type(drawer.getByLabelText(/^Name/), 'New Year');
  await userEvent.click(drawer.getByRole('button', { name: 'Add holiday' }));
  expect(await drawer.findByText('Required.')).toBeTruthy();
  expect(fake.called(createHoliday)).toEqual([]);
});
