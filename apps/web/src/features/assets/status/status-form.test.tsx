import { changeAssetStatus, type StatusChange } from '@isotherm/contracts/asset-status';
import type { AssetStatus } from '@isotherm/domain/assets/asset-status';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import type { Text } from '../../../shared/i18n/use-text.ts';
import { fakeServer } from '../../../shared/testing/fake-server.ts';
import { renderPage } from '../../../shared/testing/render-page.tsx';
import { StatusForm } from './status-form.tsx';
import { quietBands } from './status-words.tsx';

const CHANGE: StatusChange = {
  id: 1,
  assetId: 7,
  assetName: 'Fridge 7',
  assetCode: 'F-7',
  assetKind: 'refrigerator',
  organizationName: 'Head office',
  from: 'normal',
  to: 'defrost',
  deed: 'status',
  reason: 'Ice',
  changedBy: 'demo.admin',
  changedAt: '2026-11-20T01:00:00.000Z',
  untilAt: '2026-11-20T01:20:00.000Z',
  endedAt: null,
};

async function form(status: AssetStatus = 'normal') {
  const fake = fakeServer();
  fake.answer(changeAssetStatus, () => CHANGE);
  const onClose = vi.fn();
  await renderPage(<StatusForm asset={{ id: 7, name: 'Fridge 7', status }} onClose={onClose} />);
  return { fake, onClose, asked: within(await screen.findByRole('dialog')) };
}

async function choose(asked: Awaited<ReturnType<typeof form>>['asked'], name: string) {
  fireEvent.mouseDown(asked.getByLabelText(/New status/));
  fireEvent.click(await screen.findByTitle(name));
}
const write = (field: HTMLElement, value: string) => fireEvent.change(field, { target: { value } });

describe('changing the status of an asset', () => {
  it('the form asks for the duration of a temporary status, and explains what is not evaluated', async () => {
    const { fake, onClose, asked } = await form();
    await choose(asked, 'Defrost');
    expect(await asked.findByText(/Limits raise no alarms in this status/)).toBeTruthy();
    write(asked.getByLabelText(/Reason/), 'Ice on the coil');
    await userEvent.click(asked.getByRole('button', { name: 'Change status' }));
    expect(await asked.findByText('Required.')).toBeTruthy();
    write(asked.getByLabelText(/Duration/), '20');
    await userEvent.click(asked.getByRole('button', { name: 'Change status' }));
    await waitFor(() => expect(onClose).toHaveBeenCalled());
    expect(fake.called(changeAssetStatus)[0]?.asked.json).toEqual({
      from: 'normal',
      to: 'defrost',
      minutes: 20,
      reason: 'Ice on the coil',
    });
  });

  it('the form offers the allowed statuses, and clears the duration when another status is chosen', async () => {
    const { fake, onClose, asked } = await form();
    await choose(asked, 'Defrost');
    write(await asked.findByLabelText(/Duration/), '20');
    await choose(asked, 'To be repaired');
    expect(asked.queryByLabelText(/Duration/)).toBeNull();
    expect(screen.queryByTitle('Repair')).toBeNull();
    write(asked.getByLabelText(/Reason/), 'Loud');
    await userEvent.click(asked.getByRole('button', { name: 'Change status' }));
    await waitFor(() => expect(onClose).toHaveBeenCalled());
    expect(fake.called(changeAssetStatus)[0]?.asked.json).toEqual({
      from: 'normal',
      to: 'to-be-repaired',
      reason: 'Loud',
    });
  });
});

it('the chart marks ended, ending and open periods without evaluation', () => {
  const text = ((id: string) => id) as unknown as Text;
  const ends = (over: Partial<StatusChange>) =>
    quietBands([{ ...CHANGE, ...over }], text).map(({ to }) => to);
  expect(ends({})).toEqual([Date.parse('2026-11-20T01:20:00.000Z')]);
  expect(ends({ endedAt: '2026-11-20T01:10:00.000Z' })).toEqual([Date.parse('2026-11-20T01:10:00.000Z')]);
  expect(ends({ to: 'scrapped', untilAt: null })).toEqual([Number.MAX_SAFE_INTEGER]);
  expect(ends({ to: 'repair', untilAt: null })).toEqual([]);
});
