import { Link } from 'react-router';
import { integer } from '../../../shared/format/number.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';

/** Returns the address of the device list with a filter. */
export function listOf(filter: Readonly<Record<string, string | number | undefined>>): string {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(filter)) if (value !== undefined) query.set(key, String(value));
  return `/device/list${query.size > 0 ? `?${query}` : ''}`;
}

/** Formats a share as `99.3 %`. It is never 100 % while a reading is missing. */
export function shareWords(language: string, received: number, due: number): string {
  return percent(language, Math.floor((received / due) * 1_000) / 10, 1);
}

/** A number of devices with a link to these devices; zero has no link. */
export function Count({ value, to, label }: { value: number; to: string; label?: string }) {
  const { language } = useViewer();
  const words = integer(language, value);
  if (value === 0) return <span className="number tertiary">{words}</span>;
  return (
    <Link className="number" to={to} {...(label ? { 'aria-label': `${label}: ${words}` } : {})}>
      {words}
    </Link>
  );
}

/** Formats a share as `95 %` in the user's language. */
export function wholePercent(language: string, share: number): string {
  return percent(language, share * 100, 0);
}

/** Formats a percentage with a space before the sign in every language, as for other units. */
function percent(language: string, value: number, decimals: number): string {
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  return `${new Intl.NumberFormat(language, digits).format(value)} %`;
}
