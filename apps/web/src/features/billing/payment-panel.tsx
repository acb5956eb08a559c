import type { RechargeOrder } from '@isotherm/contracts/billing';
import { ORDER_VALID_MS } from '@isotherm/domain/billing/order';
import { useEffect, useState } from 'react';
import { useTicking } from '../../shared/format/now.ts';
import { integer } from '../../shared/format/number.ts';
import { useViewer } from '../../shared/format/viewer.tsx';
import { Button } from '../../shared/ui/button.tsx';
import { PermissionButton } from '../../shared/ui/permission-button.tsx';
import { useBillingChanges } from './billing.queries.ts';
import { money } from './money.ts';

/** An order: its QR code while it waits for the payment, then what became of it. */
export function PaymentPanel({ order, onAnother }: { order: RechargeOrder; onAnother: () => void }) {
  const { text, time, language } = useViewer();
  const changes = useBillingChanges();
  const amount = money(language, order.amountMinor, order.currency);
  return (
    <section className="panel recharge-payment">
      <h2>{text('billing.order.pay', { amount })}</h2>
      <p className="secondary small recharge-number">{order.number}</p>
      {order.state === 'waiting' ? (
        <>
          <Code text={order.code} label={text('billing.order.scan')} />
          {/^https?:/.test(order.code) ? (
            <a href={order.code} target="_blank" rel="noreferrer">
              {text('billing.order.link')}
            </a>
          ) : null}
          <Validity until={order.expiresAt} />
          {order.fault ? <p className="form-fault">{text(`billing.fault.${order.fault}`)}</p> : null}
          <div className="recharge-buttons">
            <PermissionButton permission="recharge-sms:pay" onClick={() => changes.check(order.id)}>
              {text('billing.order.check')}
            </PermissionButton>
            <PermissionButton
              permission="recharge-sms:pay"
              variant="quiet"
              onClick={() => changes.cancel(order.id)}
            >
              {text('billing.order.cancel')}
            </PermissionButton>
          </div>
          <p className="tertiary small">{text('billing.order.stays')}</p>
        </>
      ) : (
        <>
          <p role="status" className="recharge-outcome">
            {text(`billing.state.${order.state}`)}
            {order.settledAt ? ` · ${time(order.settledAt, 'date-time')}` : ''}
          </p>
          {order.fault === 'devices' ? <p className="form-fault">{text('billing.fault.devices')}</p> : null}
          {order.state === 'success' && order.fault !== 'devices' ? (
            <p>
              {order.commodity === 'renewal'
                ? text('billing.order.renewed', { count: order.units })
                : text('billing.order.credited', {
                    units: integer(language, order.units),
                    commodity: text(`billing.commodity.${order.commodity}`),
                  })}
            </p>
          ) : null}
          <Button onClick={onAnother}>{text('billing.order.another')}</Button>
        </>
      )}
    </section>
  );
}

function Code({ text, label }: { text: string; label: string }) {
  const [picture, setPicture] = useState('');
  useEffect(() => {
    void import('qrcode').then((qr) => qr.toDataURL(text, { margin: 1, width: 440 })).then(setPicture);
  }, [text]);
  return (
    <figure className="recharge-code">
      {picture ? (
        <img src={picture} width={220} height={220} alt={label} />
      ) : (
        <div className="skeleton recharge-blank" />
      )}
      <figcaption className="secondary">{label}</figcaption>
    </figure>
  );
}

/** How long the code is still valid, as minutes and seconds. */
function Validity({ until }: { until: string }) {
  const { text } = useViewer();
  const left = useTicking((now) => Math.max(0, Math.ceil((Date.parse(until) - now) / 1000)));
  const clock = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')}`;
  return (
    <div className="recharge-validity">
      <span className="secondary">{text('billing.order.valid')}</span>
      <span className="number strong">{clock}</span>
      <progress max={ORDER_VALID_MS / 1000} value={left} aria-label={text('billing.order.valid')} />
    </div>
  );
}
