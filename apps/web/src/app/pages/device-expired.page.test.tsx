import { getOrder, type RechargeOrder } from '@isotherm/contracts/billing';
import { type ExpiringDevice, listExpiring } from '@isotherm/contracts/device-registry';
import { getRenewalPolicy } from '@isotherm/contracts/renewal';
import { orderRenewal, quoteRenewal } from '@isotherm/contracts/renewal-orders';
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { fakeServer } from '../../shared/testing/fake-server.ts';
import { holding, renderPage } from '../../shared/testing/render-page.tsx';
import DeviceExpiredPage from './device-expired.page.tsx';

const device = (number: string) =>
  ({
    id: Number(number),
    number,
    name: `Logger ${number}`,
    type: 'logger',
    model: 'TH-20',
    serial: '',
    organizationId: 1,
    organizationName: 'Clinic',
    gatewayNumber: null,
    asset: null,
    connection: 'online',
    term: 'expired',
    expiresOn: '2026-10-31',
    release: null,
  }) as unknown as ExpiringDevice;
const order = (state: RechargeOrder['state']): RechargeOrder => ({
  id: 9,
  number: 'R9',
  organizationId: 1,
  organizationName: 'Clinic',
  commodity: 'renewal',
  units: 1,
  amountMinor: 18_000,
  currency: 'CNY',
  provider: 'sandbox',
  providerTitle: '',
  code: state === 'waiting' ? 'http://127.0.0.1/sandbox-pay/R9' : '',
  state,
  fault: null,
  createdBy: 'lin',
  createdAt: '2026-11-25T00:00:00.000Z',
  expiresAt: new Date(Date.now() + 600_000).toISOString(),
  settledAt: state === 'waiting' ? null : '2026-11-25T00:05:00.000Z',
  invoice: null,
});

function serve() {
  const fake = fakeServer();
  holding(fake, 'device-expired:view', 'device-expired:pay', 'recharge-sms:pay');
  fake.answer(listExpiring, () => ({ items: [device('41000001'), device('41000002')], total: 2 }));
  fake.answer(getRenewalPolicy, () => ({
    effectiveOn: '2023-06-15',
    expiringMonths: 3,
    lapsedMonths: 3,
    fee: 100,
    currency: 'CNY',
    hotline: '',
    changedBy: '',
    changedAt: null,
  }));
  fake.answer(quoteRenewal, ({ json }) => {
    const { years } = json as { years: number };
    return {
      currency: 'CNY',
      currencies: ['CNY'],
      totalMinor: 9_000 * years,
      providers: [{ name: 'sandbox', title: '', kind: 'sandbox' as const }],
      devices: [
        {
          number: '41000001',
          name: 'Logger 41000001',
          model: 'TH-20',
          term: 'expired' as const,
          expiresOn: '2026-10-31',
          renewedOn: `${2026 + years}-10-31`,
          amountMinor: 9_000 * years,
          feeMinor: 0,
        },
      ],
      refused: [{ number: '41000002', name: 'Logger 41000002', fault: 'price' as const }],
    };
  });
  return fake;
}

it('a renewal is quoted for the chosen period, ordered at the price that was shown, and paid by QR code', async () => {
  const user = userEvent.setup();
  const fake = serve();
  fake.answer(orderRenewal, () => order('waiting'));
  fake.answer(getOrder, () => order('waiting'));
  await renderPage(<DeviceExpiredPage />);
  await user.click(await screen.findByRole('button', { name: 'Renew all in list' }));
  const drawer = await screen.findByRole('dialog');
  await within(drawer).findByText('Total, 1 device');
  expect(within(drawer).getByText(/its model has no price/)).toBeTruthy();
  await user.click(within(drawer).getByRole('combobox', { name: /Period/ }));
  await user.click(await screen.findByText('2 years', { selector: '.ant-select-item-option-content' }));
  await within(drawer).findAllByText('CN¥180.00');
  await user.click(within(drawer).getByRole('button', { name: 'Order and pay' }));
  expect(await screen.findByText('Pay CN¥180.00')).toBeTruthy();
  expect(fake.called(orderRenewal).map(({ asked }) => asked.json)).toEqual([
    {
      devices: { filter: { search: '' } },
      years: 2,
      currency: 'CNY',
      totalMinor: 18_000,
      provider: 'sandbox',
    },
  ]);
});

it('a paid order says how many devices were renewed', async () => {
  const fake = serve();
  fake.answer(getOrder, () => order('success'));
  await renderPage(<DeviceExpiredPage />, { at: '/device/expired?order=9' });
  expect(await screen.findByText('1 device renewed')).toBeTruthy();
});
