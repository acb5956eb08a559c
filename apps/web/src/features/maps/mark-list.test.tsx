import type { MapMark } from '@isotherm/contracts/maps';
import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { renderPage } from '../../shared/testing/render-page.tsx';
import { MarkList } from './mark-list.tsx';

// The theme asks for the system's preference when it is loaded; jsdom has no such function.
vi.hoisted(() => vi.stubGlobal('matchMedia', () => ({ matches: false })));

it('a list of many assets says how many are shown, and shows more', async () => {
  const marks = Array.from(
    { length: 301 },
    (_, id): MapMark => ({
      id,
      kind: 'vehicle',
      name: `Truck ${id}`,
      place: '',
      organizationName: 'Carriers',
      state: { kind: 'normal' },
      main: null,
      at: { latitude: 31, longitude: 121, speedKmh: null, headingDeg: null, measuredAt: null },
    }),
  );
  await renderPage(<MarkList marks={marks} now={0} selectedId={null} onSelect={() => undefined} />);
  await screen.findByText('Showing 300 of 301');
  expect(screen.queryByText('Truck 300')).toBeNull();
  await userEvent.click(screen.getByText('Show more'));
  expect(screen.getByText('Truck 300')).toBeTruthy();
  expect(screen.queryByText('Show more')).toBeNull();
});
