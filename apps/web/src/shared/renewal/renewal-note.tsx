import './renewal.css';
import { useQuery } from '@tanstack/react-query';
import { fixed } from '../format/number.ts';
import { dayText } from '../format/time.ts';
import { useText } from '../i18n/use-text.ts';
import { renewalPolicyQuery } from './renewal-policy.ts';

/** The renewal policy as text (requirements §9: a sales hotline is shown). */
export function RenewalNote() {
  const { text } = useText();
  const { data } = useQuery(renewalPolicyQuery);
  if (!data) return null;
  const { lapsedMonths, fee, currency, hotline, effectiveOn } = data;
  return (
    <p className="policy-note secondary">
      {text('reminders.policy.text', { months: lapsedMonths, fee: `${fixed(fee, 2)} ${currency}` })}{' '}
      {text('reminders.policy.since', { day: dayText(effectiveOn) })}
      {hotline ? <strong> {text('reminders.policy.ask', { hotline })}</strong> : null}
    </p>
  );
}
