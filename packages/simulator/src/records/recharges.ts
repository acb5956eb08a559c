import { createOrder, getBalance, listOrders, listPackages } from '@isotherm/contracts/billing';
import { fetch } from 'undici';
import type { Recording } from './recording.ts';

/**
 * Orders SMS and voice units, and pays them on the page of the sandbox provider, as a customer does. Without that
 * provider nothing is ordered.
 */
export async function rechargeBalances({ client }: Recording): Promise<void> {
  if ((await client.call(listOrders, { query: { pageSize: '1' } })).total > 0) return;
  const [{ providers }, packages] = await Promise.all([client.call(getBalance), client.call(listPackages)]);
  const provider = providers.find(({ kind }) => kind === 'sandbox');
  if (!provider) return;
  for (const [commodity, units] of [
    ['sms', 5_000],
    ['voice', 500],
  ] as const) {
    const offer = packages.find((each) => each.commodity === commodity && each.units === units);
    if (!offer) continue;
    const { code } = await client.call(createOrder, {
      body: { packageId: offer.id, provider: provider.name },
    });
    await fetch(new URL(new URL(code).pathname, client.server), { method: 'POST', redirect: 'manual' });
  }
}
