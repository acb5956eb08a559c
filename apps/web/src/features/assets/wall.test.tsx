import { screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { aCard } from '../../shared/testing/data.ts';
import { fakeServer } from '../../shared/testing/fake-server.ts';
import { holding, renderPage } from '../../shared/testing/render-page.tsx';
import { Wall } from './wall.tsx';

vi.stubGlobal(
  'IntersectionObserver',
  class {
    observe() {}
    unobserve() {}
  },
);

const CARDS = [
  aCard({ id: 7, name: 'Vaccine fridge' }),
  aCard({ id: 8, name: 'Blood bank', state: { kind: 'normal' } }),
];

test('the cards of a user who may not open assets show the value but are no links', async () => {
  const fake = fakeServer();
  holding(fake, 'monitor:view');
  await renderPage(<Wall cards={CARDS} alarms={null} />);
  expect(await screen.findByText('Vaccine fridge')).toBeTruthy();
  expect(screen.getByText('Blood bank')).toBeTruthy();
  expect(screen.queryByRole('link')).toBeNull();
});

test('the cards of a user who may open assets are links to them', async () => {
  const fake = fakeServer();
  holding(fake, 'monitor:view', 'asset:view');
  await renderPage(<Wall cards={CARDS} alarms={null} />);
  const links = await screen.findAllByRole('link');
  expect(links.map((link) => link.getAttribute('href'))).toEqual(['/asset/7', '/asset/8']);
});
