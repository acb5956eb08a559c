import { getRenewalNotice, readRenewalNotice } from '@isotherm/contracts/renewal';
import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import type { MenuPage } from '../../features/settings/menu.ts';
import { fakeServer, Refusal } from '../../shared/testing/fake-server.ts';
import { renderPage } from '../../shared/testing/render-page.tsx';
import { RenewalNotice } from './renewal-notice.tsx';

const page = (path: string): MenuPage => ({
  path: `/${path}`,
  groups: [],
  hidden: false,
  route: {
    name: path.replace('/', '-'),
    path,
    component: '/x',
    hidden: false,
    meta: { title: path, affix: false, noCache: false },
  },
});

it('the renewal notice appears if the server requests it, with links from the menu; confirming marks it as read and closes it', async () => {
  const server = fakeServer();
  server.answer(getRenewalNotice, () => ({ IsShow: true, DeviceExpiredNum: 3 }));
  server.answer(readRenewalNotice, () => null);
  await renderPage(<RenewalNotice pages={[page('device/expired')]} />);
  const dialog = await screen.findByRole('dialog', { name: 'System message' });
  expect(dialog.textContent).toContain('3');
  const links = screen.getAllByRole('link').map((link) => link.getAttribute('href'));
  expect(links).toEqual(['/device/expired']);
  await userEvent.click(screen.getByRole('button', { name: 'OK' }));
  await vi.waitFor(() => expect(server.called(readRenewalNotice)).toHaveLength(1));
  await vi.waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
});

it('the renewal notice stays hidden unless the server requests it', async () => {
  const server = fakeServer();
  server.answer(getRenewalNotice, () => ({ IsShow: false, DeviceExpiredNum: 3 }));
  await renderPage(<RenewalNotice pages={[]} />);
  await vi.waitFor(() => expect(server.called(getRenewalNotice)).toHaveLength(1));
  expect(screen.queryByRole('dialog')).toBeNull();
});

it('a failed request of the renewal notice shows a toast', async () => {
  const server = fakeServer();
  server.answer(getRenewalNotice, () => new Refusal('service.failed', 'x', 500));
  await renderPage(<RenewalNotice pages={[]} />);
  expect(await screen.findByRole('alert')).toBeTruthy();
});
