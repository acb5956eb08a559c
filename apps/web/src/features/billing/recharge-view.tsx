import './billing.css';
import type { BalanceView, getBalance, RechargePackage } from '@isotherm/contracts/billing';
import type { ResponseOf } from '@isotherm/contracts/route';
import { lastsDays } from '@isotherm/domain/billing/forecast';
import type { Commodity } from '@isotherm/domain/billing/ledger';
import { SANDBOX_PROVIDER, takesCurrency } from '@isotherm/domain/billing/payment-provider';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { integer } from '../../shared/format/number.ts';
import { useViewer } from '../../shared/format/viewer.tsx';
import { FailureNotice, Notice } from '../../shared/ui/notice.tsx';
import { PageHead } from '../../shared/ui/page-head.tsx';
import { PermissionButton } from '../../shared/ui/permission-button.tsx';
import { toast } from '../../shared/ui/toast.tsx';
import { useUrlState } from '../../shared/ui/use-url-state.ts';
import { BalanceChart } from './balance-chart.tsx';
import { balanceQuery, orderQuery, packagesQuery, useBillingChanges } from './billing.queries.ts';
import { money, unitPrice } from './money.ts';
import { PaymentPanel } from './payment-panel.tsx';

type OfferedProvider = ResponseOf<typeof getBalance>['providers'][number];

/** Page that shows a prepaid balance and recharges it: how long it lasts, the packages, the payment. */
export function RechargeView({ commodity }: { commodity: Commodity }) {
  const { text } = useViewer();
  const [params, change] = useUrlState();
  const orderId = Number(params.get('order')) || null;
  const account = useQuery(balanceQuery);
  const packages = useQuery(packagesQuery(commodity));
  const order = useQuery({ ...orderQuery(orderId ?? 0), enabled: orderId !== null });
  const queries = useQueryClient();
  const state = order.data?.state;
  // The order is read again until it is paid; the balance has changed then, too.
  useEffect(() => {
    if (state === 'success') void queries.invalidateQueries({ queryKey: balanceQuery.queryKey });
  }, [state, queries]);
  const [chosenId, setChosenId] = useState<number | null>(null);
  const offers = packages.data ?? [];
  const chosen = offers.find(({ id }) => id === chosenId) ?? offers[Math.min(1, offers.length - 1)];
  const balance = account.data?.balances.find((each) => each.commodity === commodity);
  const error = account.error ?? packages.error;
  const isPaying = orderId !== null && order.data?.commodity === commodity;
  return (
    <div className="page">
      <PageHead
        title={text(`menu.recharge-${commodity}`)}
        purpose={
          account.data ? text('billing.account', { name: account.data.payerName }) : text('billing.purpose')
        }
      />
      {error && !account.data ? <FailureNotice error={error} retry={() => void account.refetch()} /> : null}
      {!account.data && !error ? <div className="skeleton skeleton-body" /> : null}
      {account.data && balance ? (
        <div className="recharge">
          <BalancePanel balance={balance} added={isPaying ? 0 : (chosen?.units ?? 0)} />
          {isPaying && order.data ? (
            <PaymentPanel order={order.data} onAnother={() => change({ order: null })} />
          ) : account.data.mayRecharge ? (
            <Offers
              balance={balance}
              offers={offers}
              isLoaded={packages.isSuccess}
              chosen={chosen}
              providers={account.data.providers}
              onChoose={setChosenId}
              onOrdered={(id) => change({ order: id }, 'push')}
            />
          ) : (
            <section className="panel recharge-offers">
              <Notice icon="building" title={text('billing.shared', { name: account.data.payerName })}>
                {text('billing.shared-reason', { name: account.data.payerName })}
              </Notice>
            </section>
          )}
        </div>
      ) : null}
    </div>
  );
}

function BalancePanel({ balance, added }: { balance: BalanceView; added: number }) {
  const { text, language } = useViewer();
  const { available, reserved, overdraft, lastsDays: days, usedIn30Days, outageUnits, commodity } = balance;
  return (
    <section className="panel recharge-balance">
      <div className="recharge-figures">
        <span className="recharge-available number">{integer(language, available)}</span>
        <span>{text(`billing.commodity.${commodity}`)}</span>
        {days === null ? (
          <span className="secondary">{text('billing.unused')}</span>
        ) : (
          <>
            <strong>{text('billing.lasts', { days })}</strong>
            <span className="secondary">
              {text('billing.rate', { rate: integer(language, Math.ceil(usedIn30Days / 30)) })}
            </span>
          </>
        )}
      </div>
      {outageUnits !== null && outageUnits > 0 ? (
        <p className="secondary">
          {text(`billing.outage.${commodity === 'voice' ? 'voice' : 'sms'}`, { count: outageUnits })}
        </p>
      ) : null}
      {available <= 0 ? (
        <p role="status" className="strong">
          {text('billing.empty-balance')}
        </p>
      ) : null}
      {reserved > 0 ? <p className="secondary">{text('billing.reserved', { count: reserved })}</p> : null}
      {overdraft > 0 ? <p className="secondary">{text('billing.overdraft', { count: overdraft })}</p> : null}
      <BalanceChart balance={balance} added={added} />
    </section>
  );
}

function Offers({
  balance,
  offers,
  isLoaded,
  chosen,
  providers,
  onChoose,
  onOrdered,
}: {
  balance: BalanceView;
  offers: readonly RechargePackage[];
  isLoaded: boolean;
  chosen: RechargePackage | undefined;
  providers: readonly OfferedProvider[];
  onChoose: (id: number) => void;
  onOrdered: (id: number) => void;
}) {
  const { text, language } = useViewer();
  const changes = useBillingChanges();
  const [wanted, setWanted] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  if (isLoaded && offers.length === 0)
    return (
      <section className="panel recharge-offers">
        <Notice icon="recharge" title={text('billing.package.none')}>
          {text('billing.package.none-reason')}
        </Notice>
      </section>
    );
  const usable = providers.filter(({ kind }) => chosen && takesCurrency(kind, chosen.currency));
  const provider = (usable.find(({ name }) => name === wanted) ?? usable[0])?.name;
  async function order() {
    if (!chosen || !provider) return;
    setBusy(true);
    try {
      onOrdered((await changes.order({ packageId: chosen.id, provider })).id);
    } catch (error) {
      toast('failure', (error as Error).message);
    } finally {
      setBusy(false);
    }
  }
  return (
    <section className="panel recharge-offers">
      <h2>{text('billing.package.choose')}</h2>
      <p className="secondary small">{text('billing.package.choose.note')}</p>
      <div role="radiogroup" aria-label={text('billing.package.choose')} className="recharge-packages">
        {offers.map((offer) => {
          const days = lastsDays(offer.units, balance.usedIn30Days, 30);
          return (
            <label key={offer.id} className="recharge-package">
              <input
                type="radio"
                name="package"
                checked={offer.id === chosen?.id}
                onChange={() => onChoose(offer.id)}
              />
              <span className="recharge-units number">{integer(language, offer.units)}</span>
              <span className="secondary small">
                {text('billing.package.each', {
                  price: unitPrice(language, offer.amountMinor, offer.units, offer.currency),
                })}
              </span>
              <span className="recharge-price">
                <strong>{money(language, offer.amountMinor, offer.currency)}</strong>
                {days === null ? null : (
                  <span className="secondary small">{text('billing.package.days', { days })}</span>
                )}
              </span>
            </label>
          );
        })}
      </div>
      {provider === undefined ? (
        <Notice icon="info" title={text('billing.method.none')}>
          {text(providers.length === 0 ? 'billing.method.none-reason' : 'billing.method.none-currency')}
        </Notice>
      ) : (
        <div className="recharge-order">
          <fieldset className="recharge-methods">
            <legend className="secondary small">{text('billing.provider')}</legend>
            {usable.map(({ name, title }) => (
              <label key={name}>
                <input
                  type="radio"
                  name="provider"
                  checked={name === provider}
                  onChange={() => setWanted(name)}
                />
                {providerName(name, title, text)}
              </label>
            ))}
          </fieldset>
          <PermissionButton
            permission="recharge-sms:pay"
            variant="primary"
            size="large"
            disabled={isBusy || !chosen}
            onClick={() => void order()}
          >
            {text('billing.order.create')}
          </PermissionButton>
        </div>
      )}
    </section>
  );
}

/** Name of a payment provider, as the operator has entered it. */
export function providerName(
  name: string,
  title: string,
  text: ReturnType<typeof useViewer>['text'],
): string {
  return name === SANDBOX_PROVIDER ? text('billing.provider.sandbox') : title || name;
}
