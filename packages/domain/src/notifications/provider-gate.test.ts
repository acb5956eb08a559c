import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  CLOSED_GATE,
  circuitOf,
  enterGate,
  isProviderFault,
  leaveGate,
  type ProviderGate,
} from './provider-gate.ts';
import type { SmsOutcome } from './sms-provider.ts';

const SECOND = 1000;

describe('the circuit breaker', () => {
  const failed = (times: number, now = 0) => {
    let gate: ProviderGate = CLOSED_GATE;
    for (let time = 0; time < times; time += 1) gate = leaveGate(gate, true, now);
    return gate;
  };

  test('opens after five faults in a row', () => {
    expect(circuitOf(failed(4), 0)).toBe('closed');
    expect(circuitOf(failed(5), 0)).toBe('open');
    expect(enterGate(failed(5), 0, 1)).toMatchObject({ kind: 'wait', at: 15 * SECOND, why: 'circuit' });
  });

  test('a success in between starts the count again', () => {
    const gate = leaveGate(failed(4), false, 0);
    expect(circuitOf(leaveGate(gate, true, 0), 0)).toBe('closed');
  });

  test('faults of attempts that began before it opened change nothing', () => {
    expect(failed(30)).toEqual(failed(5));
  });

  test('lets one message test the provider after the pause', () => {
    const gate = failed(5);
    const now = 15 * SECOND;
    expect(circuitOf(gate, now)).toBe('half-open');
    const first = enterGate(gate, 0, now);
    expect(first.kind).toBe('go');
    expect(enterGate(first.gate, 0, now)).toMatchObject({ kind: 'wait', at: now + 2 * SECOND });
    expect(leaveGate(first.gate, false, now)).toEqual(CLOSED_GATE);
    // The process that tested the provider has crashed.
    expect(enterGate(first.gate, 0, now + 60 * SECOND).kind).toBe('go');
  });

  test('pauses for twice as long after each failed test, two minutes at most', () => {
    let gate = failed(5);
    const pauses: number[] = [];
    for (let turn = 0; turn < 6; turn += 1) {
      const now = gate.retryAt ?? 0;
      gate = leaveGate(enterGate(gate, 0, now).gate, true, now);
      pauses.push(((gate.retryAt ?? 0) - now) / SECOND);
    }
    expect(pauses).toEqual([30, 60, 120, 120, 120, 120]);
  });

  test('an error about the recipient ends the test without a result', () => {
    const tested = enterGate(failed(5), 0, 15 * SECOND).gate;
    const gate = leaveGate(tested, null, 15 * SECOND);
    expect(circuitOf(gate, 15 * SECOND)).toBe('half-open');
    expect(enterGate(gate, 0, 15 * SECOND).kind).toBe('go');
  });
});

test.each<[SmsOutcome, boolean | null]>([
  [{ kind: 'sent', providerMessageId: '' }, false],
  [{ kind: 'refused', error: 'isv.MOBILE_NUMBER_ILLEGAL' }, false],
  [{ kind: 'unknown', error: 'HTTP 500' }, true],
  [{ kind: 'unavailable', error: 'HTTP 503' }, true],
  [{ kind: 'unavailable', error: 'isv.BUSINESS_LIMIT_CONTROL: too many' }, null],
  [{ kind: 'unavailable', error: 'LimitExceeded.PhoneNumberDailyLimit: too many' }, null],
  [{ kind: 'unavailable', error: 'LimitExceeded.PhoneNumberThirtySecondLimit' }, null],
  [{ kind: 'unavailable', error: 'LimitExceeded.AppDailyLimit: too many' }, true],
  // The daily limit of an account.
  [{ kind: 'unavailable', error: '63038: Account exceeded the daily messages limit' }, true],
])('the outcome %j is a fault of the provider: %s', (outcome, fault) =>
  expect(isProviderFault(outcome)).toBe(fault),
);

describe('the rate limit', () => {
  test('admits a burst of one second, then one message after the other', () => {
    let gate: ProviderGate = CLOSED_GATE;
    const times: number[] = [];
    for (let message = 0; message < 25; message += 1) {
      const verdict = enterGate(gate, 10, 0);
      if (verdict.kind === 'wait') {
        expect(verdict).toMatchObject({ why: 'rate', at: expect.any(Number) });
        break;
      }
      gate = verdict.gate;
      times.push(verdict.at);
    }
    expect(times.slice(0, 13)).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 100, 200]);
  });

  test('does not hold back a message for longer than two seconds', () => {
    const verdict = enterGate({ ...CLOSED_GATE, nextAt: 4 * SECOND }, 1, 0);
    expect(verdict).toMatchObject({ kind: 'wait', at: 3 * SECOND, why: 'rate' });
  });

  test('is kept over any period', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 50 }),
        fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 200 }),
        (rate, pauses) => {
          let gate: ProviderGate = CLOSED_GATE;
          let now = 0;
          const sent: number[] = [];
          for (const pause of pauses) {
            now += pause;
            const verdict = enterGate(gate, rate, now);
            gate = verdict.gate;
            if (verdict.kind === 'go') sent.push(verdict.at);
          }
          for (const [index, from] of sent.entries()) {
            const within = sent.slice(index).filter((at) => at < from + 2 * SECOND).length;
            // Two seconds at the rate, and the burst.
            expect(within).toBeLessThanOrEqual(3 * rate + 1);
          }
        },
      ),
    );
  });
});

describe('a clock that jumps', () => {
  const HOUR = 3600 * SECOND;

  test.each([
    ['the circuit', { ...CLOSED_GATE, failures: 5, retryAt: HOUR }, 120 * SECOND],
    ['a test of the provider', { ...CLOSED_GATE, failures: 5, retryAt: -1, probeUntil: HOUR }, 60 * SECOND],
    ['the rate limit', { ...CLOSED_GATE, nextAt: HOUR }, 3 * SECOND],
  ])('does not keep %s for longer than it may take', (_name, gate, longest) => {
    const seen = enterGate(gate, 1, 0);
    expect(seen.kind).toBe('wait');
    expect(seen.gate).not.toBe(gate);
    expect(enterGate(seen.gate, 1, longest + 1).kind).toBe('go');
  });

  test('blocks a provider for no longer than a pause or a test, whatever happened before', () => {
    const step = fc.record({
      jump: fc.oneof(
        fc.integer({ min: 0, max: 200 }),
        fc.integer({ min: -500, max: 5 * SECOND }),
        fc.integer({ min: -48 * HOUR, max: 48 * HOUR }),
      ),
      act: fc.constantFrom('enter', 'fault', 'success', 'recipient'),
    });
    fc.assert(
      fc.property(fc.constantFrom(0, 1, 2, 7, 50), fc.array(step, { maxLength: 60 }), (rate, history) => {
        let gate: ProviderGate = CLOSED_GATE;
        let now = 0;
        for (const { jump, act } of history) {
          now += jump;
          gate =
            act === 'enter'
              ? enterGate(gate, rate, now).gate
              : leaveGate(gate, act === 'recipient' ? null : act === 'fault', now);
        }
        const from = now;
        let verdict = enterGate(gate, rate, now);
        while (verdict.kind === 'wait') {
          expect(verdict.at).toBeGreaterThan(now);
          now = verdict.at;
          verdict = enterGate(verdict.gate, rate, now);
        }
        expect(now - from).toBeLessThanOrEqual(120 * SECOND + 60 * SECOND + 5 * SECOND);
      }),
    );
  });

  test('keeps the rate limit when it is set back', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 50 }),
        fc.array(
          fc.record({
            pause: fc.integer({ min: 0, max: 400 }),
            setBack: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: HOUR })),
          }),
          { maxLength: 100 },
        ),
        (rate, steps) => {
          let gate: ProviderGate = CLOSED_GATE;
          let real = 0;
          let behind = 0;
          const sent: number[] = [];
          for (const { pause, setBack } of steps) {
            real += pause;
            behind += setBack;
            const verdict = enterGate(gate, rate, real - behind);
            gate = verdict.gate;
            if (verdict.kind === 'go') sent.push(verdict.at + behind);
          }
          for (const [index, from] of sent.entries()) {
            const within = sent.slice(index).filter((at) => at < from + 2 * SECOND).length;
            expect(within).toBeLessThanOrEqual(3 * rate + 1);
          }
        },
      ),
    );
  });
});
