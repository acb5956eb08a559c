import { listAlarmLinks, type OpenAlarmLink, revokeAlarmLink } from '@isotherm/contracts/acknowledge-links';
import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { anAlarm } from '../../../shared/testing/data.ts';
import { fakeServer, Refusal } from '../../../shared/testing/fake-server.ts';
import { holding, renderPage } from '../../../shared/testing/render-page.tsx';
import { OpenLinks } from './open-links.tsx';

const LINK: OpenAlarmLink = {
  id: 4,
  recipient: 'Night nurse',
  sentBy: 'sms',
  createdAt: '2026-11-20T01:00:00.000Z',
  expiresAt: '2026-11-27T01:00:00.000Z',
  isLocked: true,
};

async function panel(more: Parameters<typeof anAlarm>[0] = {}) {
  const fake = fakeServer();
  holding(fake, 'alarm-current:view', 'alarm-current:acknowledge');
  fake.answer(listAlarmLinks, () => [LINK, { ...LINK, id: 5, recipient: '', sentBy: null, isLocked: false }]);
  await renderPage(<OpenLinks alarm={anAlarm({ acknowledgement: null, ...more })} />);
  return fake;
}

it('each link of an alarm is shown with its recipient, and one is revoked', async () => {
  const fake = await panel();
  const [first, second] = await screen.findAllByRole('listitem');
  expect(first?.textContent).toContain('Night nurse');
  expect(first?.textContent).toContain('SMS');
  expect(first?.textContent).toContain('locked: wrong PIN');
  expect(second?.textContent).toContain('Removed recipient');
  fake.answer(revokeAlarmLink, () => [{ ...LINK, id: 5 }]);
  await userEvent.click(screen.getByRole('button', { name: 'Revoke the link of Night nurse' }));
  expect(await screen.findByText('Link revoked')).toBeTruthy();
  expect(screen.getAllByRole('listitem')).toHaveLength(1);
  expect(fake.called(revokeAlarmLink)[0]?.asked.path).toMatch(/\/link\/4$/);
});

it('a link that somebody used meanwhile leaves the list with a message', async () => {
  const fake = await panel();
  await screen.findAllByRole('listitem');
  fake.answer(revokeAlarmLink, () => new Refusal('link.not_found', 'This link is not valid.', 404));
  fake.answer(listAlarmLinks, () => []);
  await userEvent.click(screen.getByRole('button', { name: 'Revoke the link of Night nurse' }));
  expect(await screen.findByText('This link is not valid.')).toBeTruthy();
  await waitFor(() => expect(screen.queryByRole('listitem')).toBeNull());
});
