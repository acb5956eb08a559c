import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it } from 'vitest';
import { startLanguage } from '../i18n/language.ts';
import { useGrowingList } from './growing-list.tsx';

beforeEach(() => startLanguage('en'));

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

function List({ items, wanted = '' }: { items: readonly number[]; wanted?: string }) {
  const { shown, more } = useGrowingList(items, 1_000, wanted);
  return (
    <>
      <output>{shown.length}</output>
      {more}
    </>
  );
}
const length = () => Number(screen.getByRole('status').textContent);
const grow = () => userEvent.click(screen.getByRole('button', { name: 'Show more' }));

it('a list shows its first items, and more until all are shown', async () => {
  render(<List items={numbers(2_001)} />);
  expect(length()).toBe(1_000);
  expect(screen.getByText('Showing 1,000 of 2,001')).toBeTruthy();
  await grow();
  expect(screen.getByText('Showing 2,000 of 2,001')).toBeTruthy();
  await grow();
  expect(length()).toBe(2_001);
  expect(screen.queryByRole('button')).toBeNull();
});

it('a list that just fits offers no more', () => {
  render(<List items={numbers(1_000)} />);
  expect(length()).toBe(1_000);
  expect(screen.queryByRole('button')).toBeNull();
});

it('another search begins with the first items again, and new items of the same one do not', async () => {
  const { rerender } = render(<List items={numbers(5_000)} wanted="a" />);
  await grow();
  rerender(<List items={numbers(4_000)} wanted="a" />);
  expect(length()).toBe(2_000);
  rerender(<List items={numbers(4_000)} wanted="b" />);
  expect(length()).toBe(1_000);
  await grow();
  expect(length()).toBe(2_000);
});
