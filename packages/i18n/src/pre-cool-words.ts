import { formatDuration } from './figures.ts';
import type { TextId } from './text-id.ts';

type Text = (id: TextId, values?: Record<string, string | number>) => string;

/** Whether a vehicle or box was in range for long enough before the departure. */
interface PreCool {
  state: 'ready' | 'waiting' | 'outside' | 'no-readings';
  requiredMs: number;
  insideMs: number;
  missingMs: number;
}

const BEFORE = {
  ready: 'waybills.pre-cool.ready',
  waiting: 'waybills.pre-cool.waiting',
  outside: 'waybills.pre-cool.outside',
  'no-readings': 'waybills.pre-cool.no-readings',
} as const satisfies Record<PreCool['state'], TextId>;
const DEPARTED = {
  ready: 'waybills.pre-cool.met',
  waiting: 'waybills.pre-cool.not-met',
  outside: 'waybills.pre-cool.was-outside',
  'no-readings': 'waybills.pre-cool.no-data',
} as const satisfies Record<PreCool['state'], TextId>;

/** Says how long a vehicle or box has been in range before the departure, or was when it departed. */
export function preCoolWords(
  { state, requiredMs, insideMs, missingMs }: PreCool,
  hasDeparted: boolean,
  text: Text,
): string {
  return text((hasDeparted ? DEPARTED : BEFORE)[state], {
    required: formatDuration(requiredMs, text),
    inside: formatDuration(insideMs, text),
    missing: formatDuration(missingMs, text),
  });
}
