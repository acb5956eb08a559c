import { getTimeZone } from '@isotherm/contracts/account';
import type { Language } from '@isotherm/i18n/languages';
import { act, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { fakeServer } from '../../../shared/testing/fake-server.ts';
import { renderPage } from '../../../shared/testing/render-page.tsx';
import { TimeZones } from './time-zones.tsx';

const ZONES = ['Europe/Madrid', 'Asia/Shanghai', 'America/Bogota', 'America/New_York'];

it.each<[Language, string, string]>([
  ['zh-CN', '上海', '上海 Asia/Shanghai'],
  ['zh-TW', '紐約', '紐約 America/New York'],
  ['es', 'nueva york', 'Nueva York America/New York'],
  ['es', 'bogota', 'Bogotá America/Bogota'],
  ['en', 'new york', 'New York America/New York'],
])('in %s, the search %s finds the zone of the city: %s', async (language, search, row) => {
  const fake = fakeServer();
  fake.answer(getTimeZone, () => ({
    code: 'Europe/Madrid',
    zones: ZONES.map((code) => ({ code, offset: 0 })),
  }));
  await renderPage(<TimeZones onChanged={() => undefined} />, {
    at: `/setting/timezone?q=${encodeURIComponent(search)}`,
    language,
  });
  await waitFor(() =>
    expect([...document.querySelectorAll('tbody td:first-child')].map((cell) => cell.textContent)).toEqual([
      row,
    ]),
  );
  expect(screen.getAllByRole('row')).toHaveLength(2);
});

it('many zones are shown in parts, and another search begins with the first part again', async () => {
  const fake = fakeServer();
  fake.answer(getTimeZone, () => ({
    code: 'Europe/Madrid',
    zones: Intl.supportedValuesOf('timeZone').map((code) => ({ code, offset: 0 })),
  }));
  const { router } = await renderPage(<TimeZones onChanged={() => undefined} />, { at: '/setting/timezone' });
  const rows = () => document.querySelectorAll('tbody > tr').length;
  await screen.findByText(/^Showing 40 of /);
  expect(rows()).toBe(40);
  await userEvent.click(screen.getByText('Show more'));
  expect(rows()).toBe(80);
  await act(() => router.navigate('/setting/timezone?q=america'));
  expect(rows()).toBe(40);
});
