import { getSystemConfig, type Site } from '@isotherm/contracts/settings';
import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import { fakeServer, Refusal } from '../../shared/testing/fake-server.ts';
import { holding, renderPage } from '../../shared/testing/render-page.tsx';
import { SiteContext } from '../site-context.ts';
import { SystemConfig } from './system-config.tsx';

test('a failed request is shown as a toast and logged', async () => {
  const log = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const fake = fakeServer();
  holding(fake, 'system:view');
  fake.answer(getSystemConfig, () => new Refusal('service.failed', 'An error occurred.', 500));
  await renderPage(
    <SiteContext value={{ environment: 'sandbox' } as Site}>
      <SystemConfig />
    </SiteContext>,
  );
  await userEvent.click(await screen.findByRole('button', { name: 'System configuration' }));
  // The message appears in the panel and as a toast.
  await vi.waitFor(() => expect(screen.getAllByText('The request failed, please retry')).toHaveLength(2));
  expect(log).toHaveBeenCalledWith('system configuration', expect.any(Error));
});
