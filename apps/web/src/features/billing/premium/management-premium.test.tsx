import { listPremium, type OrganizationPremium, startPremiumTrial } from '@isotherm/contracts/premium';
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { fakeServer } from '../../../shared/testing/fake-server.ts';
import { holding, renderPage } from '../../../shared/testing/render-page.tsx';
import ManagementPremiumPage from './management-premium.page.tsx';

const clinic: OrganizationPremium = {
  organizationId: 3,
  organizationName: 'Clinic',
  services: [
    {
      service: 'backup',
      state: 'not-activated',
      until: null,
      deviceLimit: 0,
      inheritedFrom: null,
      mayTry: true,
    },
    {
      service: 'smart-screen',
      state: 'active',
      until: '2027-01-01T00:00:00.000Z',
      deviceLimit: null,
      inheritedFrom: 'Hospital group',
      mayTry: true,
    },
  ],
};

it('the list says who has which service and through whom, and a trial is started after a confirmation', async () => {
  const fake = fakeServer();
  holding(fake, 'management-premium:view', 'management-premium:trial');
  fake.answer(listPremium, () => ({ items: [clinic], total: 1 }));
  fake.answer(startPremiumTrial, () => clinic);
  await renderPage(<ManagementPremiumPage />);
  const row = (await screen.findByText('Clinic')).closest('tr') as HTMLElement;
  within(row).getByText('Not activated');
  within(row).getByText(/through Hospital group/);
  await userEvent.click(within(row).getByRole('button'));
  expect(screen.queryByText('Activate service')).toBeNull();
  expect(screen.queryByText('Start trial: Smart screen')).toBeNull();
  await userEvent.click(await screen.findByText('Start trial: Data backup'));
  const dialog = await screen.findByRole('dialog');
  await userEvent.click(within(dialog).getByRole('button', { name: 'Start trial' }));
  await expect
    .poll(() => fake.called(startPremiumTrial).map(({ asked }) => asked.json))
    .toEqual([{ service: 'backup' }]);
});
