import './renewal-order.css';
import type { RechargeOrder } from '@isotherm/contracts/billing';
import {
  orderRenewal,
  quoteRenewal,
  type RenewalQuoteView,
  type RenewalSelection,
} from '@isotherm/contracts/renewal-orders';
import { takesCurrency } from '@isotherm/domain/billing/payment-provider';
import { RENEWAL_YEARS_MOST } from '@isotherm/domain/billing/renewal';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { call } from '../../../shared/api/client.ts';
import { EN_RULE } from '../../../shared/format/number.ts';
import { dayText } from '../../../shared/format/time.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { labelled } from '../../../shared/i18n/phrases.ts';
import { SelectField } from '../../../shared/ui/form/choice-fields.tsx';
import { useFormContext } from '../../../shared/ui/form/form-context.ts';
import { FormDrawer, FormSection } from '../../../shared/ui/form/form-drawer.tsx';
import { FailureNotice, Notice } from '../../../shared/ui/notice.tsx';
import { TableFrame } from '../../../shared/ui/table-frame.tsx';
import { BILLING_KEY } from '../billing.queries.ts';
import { money } from '../money.ts';
import { providerName } from '../recharge-view.tsx';

const form = orderRenewal.body.pick({ years: true, currency: true, provider: true });
const YEARS = Array.from({ length: RENEWAL_YEARS_MOST }, (_, index) => index + 1);

/** Drawer that orders the renewal of devices: for how long, what each costs, how to pay. */
export function RenewalOrder({
  devices,
  onOrdered,
  onClose,
}: {
  devices: RenewalSelection;
  onOrdered: (order: RechargeOrder) => void;
  onClose: () => void;
}) {
  const { text } = useViewer();
  const [quote, setQuote] = useState<RenewalQuoteView | null>(null);
  return (
    <FormDrawer
      wide
      title={text('renewals.title')}
      submitLabel={text('billing.order.create')}
      schema={form}
      initial={{ years: 1 }}
      submit={async (values) =>
        onOrdered(
          await call(orderRenewal, {
            body: { ...values, devices, currency: quote?.currency, totalMinor: quote?.totalMinor ?? 0 },
          }),
        )
      }
      onClose={onClose}
      onDone={() => undefined}
    >
      <Quote devices={devices} onQuote={setQuote} />
    </FormDrawer>
  );
}

function Quote({
  devices,
  onQuote,
}: {
  devices: RenewalSelection;
  onQuote: (quote: RenewalQuoteView) => void;
}) {
  const { text, language } = useViewer();
  const { values, prefill } = useFormContext();
  const years = Number(values.years ?? 1);
  const currency = values.currency as string | undefined;
  const { data, error, refetch } = useQuery({
    queryKey: [...BILLING_KEY, 'renewal-quote', devices, years, currency],
    queryFn: ({ signal }) => call(quoteRenewal, { body: { devices, years, currency }, signal, quiet: true }),
    placeholderData: keepPreviousData,
  });
  const usable = data?.providers.filter(({ kind }) => takesCurrency(kind, data.currency)) ?? [];
  const provider = usable.find(({ name }) => name === values.provider) ?? usable[0];
  useEffect(() => {
    if (data) onQuote(data);
  }, [data, onQuote]);
  useEffect(() => {
    if (provider && provider.name !== values.provider) prefill('provider', provider.name);
  }, [provider, values.provider, prefill]);
  if (error && !data) return <FailureNotice error={error} retry={() => void refetch()} />;
  if (!data) return <div className="skeleton skeleton-body" />;
  return (
    <>
      <FormSection>
        <SelectField
          name="years"
          label={text('renewals.years')}
          help={text('renewals.years.help')}
          options={YEARS.map((value) => ({ value, label: text('renewals.years.count', { count: value }) }))}
        />
        {data.currencies.length > 1 ? (
          <SelectField
            name="currency"
            label={text('billing.currency')}
            options={data.currencies.map((value) => ({ value, label: value }))}
          />
        ) : null}
        {provider ? (
          <SelectField
            name="provider"
            label={text('billing.provider')}
            options={usable.map(({ name, title }) => ({
              value: name,
              label: providerName(name, title, text),
            }))}
          />
        ) : (
          <Notice icon="info" title={text('billing.method.none')}>
            {text(data.providers.length === 0 ? 'renewals.method-none' : 'billing.method.none-currency')}
          </Notice>
        )}
      </FormSection>
      {data.devices.length > 0 ? (
        <TableFrame label={text('renewals.devices')}>
          <thead>
            <tr>
              <th scope="col">{text('devices.number')}</th>
              <th scope="col">{text('devices.name')}</th>
              <th scope="col">{text('devices.model')}</th>
              <th scope="col" className="figure">
                {text('renewals.until')}
              </th>
              <th scope="col" className="figure">
                {text('billing.amount')}
              </th>
            </tr>
          </thead>
          <tbody>
            {data.devices.map((device) => (
              <tr key={device.number}>
                <td className="number">{device.number}</td>
                <td>{device.name}</td>
                <td className="secondary">{device.model || EN_RULE}</td>
                <td className="figure">
                  {device.expiresOn ? `${dayText(device.expiresOn)} → ` : ''}
                  {dayText(device.renewedOn)}
                </td>
                <td className="figure">
                  {money(language, device.amountMinor, data.currency)}
                  {device.feeMinor > 0 ? (
                    <div className="small secondary">
                      {text('renewals.fee', { fee: money(language, device.feeMinor, data.currency) })}
                    </div>
                  ) : null}
                </td>
              </tr>
            ))}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row" colSpan={4}>
                {text('renewals.total', { count: data.devices.length })}
              </th>
              <td className="figure strong">{money(language, data.totalMinor, data.currency)}</td>
            </tr>
          </tfoot>
        </TableFrame>
      ) : (
        <Notice icon="info" title={text('renewals.none')}>
          {text('renewals.none-reason')}
        </Notice>
      )}
      {data.devices.some(({ feeMinor }) => feeMinor > 0) ? (
        <p className="secondary small">{text('renewals.fee.means')}</p>
      ) : null}
      {data.refused.length > 0 ? (
        <section>
          <h3 className="renewal-refused">{text('renewals.refused', { count: data.refused.length })}</h3>
          <ul className="small">
            {data.refused.map(({ number, name, fault }) => (
              <li key={number}>
                <span className="number">{number}</span>{' '}
                {labelled(text, name, text(`renewals.fault.${fault}`))}
              </li>
            ))}
          </ul>
        </section>
      ) : null}
    </>
  );
}
