import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  ANSWER_WITHIN_MS,
  COMMAND_KINDS,
  CONFIGURE_WITHIN_MS,
  type CommandEvent,
  type CommandKind,
  type CommandProgress,
  isOpen,
  REQUEST_STATES,
  stepCommand,
} from './command.ts';

const HOUR = 3_600_000;
const begin = (kind: CommandKind = 'upload-interval'): CommandProgress => ({
  kind,
  state: 'reserved',
  attempts: 0,
  since: 0,
  expiresAt: HOUR,
});
const sent: CommandEvent = { type: 'sent' };
const lost: CommandEvent = { type: 'lost' };
const tick: CommandEvent = { type: 'tick' };
const answer = (state: 'configuring' | 'success' | 'failed'): CommandEvent => ({ type: 'answer', state });

type Row = [name: string, events: [at: number, event: CommandEvent][], state: string, kind?: CommandKind];
const S = ANSWER_WITHIN_MS;

test.each<Row>([
  ['it waits for its device', [[HOUR - 1, tick]], 'reserved'],
  ['it expires when it has waited too long', [[HOUR, tick]], 'timeout'],
  ['it was sent', [[5, sent]], 'requesting'],
  [
    'the device answers',
    [
      [5, sent],
      [6, answer('success')],
    ],
    'success',
  ],
  [
    'the device refuses it',
    [
      [5, sent],
      [6, answer('failed')],
    ],
    'failed',
  ],
  [
    'the device is executing it',
    [
      [5, sent],
      [6, answer('configuring')],
      [S + 5, tick],
    ],
    'configuring',
  ],
  [
    'the device has executed it',
    [
      [5, sent],
      [6, answer('configuring')],
      [9, answer('success')],
    ],
    'success',
  ],
  [
    'the device repeats that it is executing it',
    [
      [5, sent],
      [6, answer('configuring')],
      [7, answer('configuring')],
    ],
    'configuring',
  ],
  [
    'the device does not finish in time',
    [
      [5, sent],
      [6, answer('configuring')],
      [6 + CONFIGURE_WITHIN_MS, tick],
    ],
    'timeout',
  ],
  [
    'without an answer in time it is sent again',
    [
      [0, sent],
      [S - 1, tick],
    ],
    'requesting',
  ],
  [
    'without an answer it waits for its next attempt',
    [
      [0, sent],
      [S, tick],
    ],
    'reserved',
  ],
  [
    'without an answer to the third attempt it fails',
    [
      [0, sent],
      [S, tick],
      [S, sent],
      [2 * S, tick],
      [2 * S, sent],
      [3 * S, tick],
    ],
    'timeout',
  ],
  [
    'without an answer it fails when it expires',
    [
      [HOUR - 9, sent],
      [HOUR, tick],
    ],
    'timeout',
  ],
  [
    'the connection ended',
    [
      [0, sent],
      [1, lost],
    ],
    'reserved',
  ],
  [
    'the connection ended while the device was executing it',
    [
      [0, sent],
      [1, answer('configuring')],
      [2, lost],
    ],
    'configuring',
  ],
  ['the connection ended before it was sent', [[0, lost]], 'reserved'],
  [
    'the answer arrives over the next connection',
    [
      [0, sent],
      [1, lost],
      [2, answer('success')],
    ],
    'success',
  ],
  ['an answer arrives although it was never sent', [[0, answer('success')]], 'reserved'],
  [
    'it was sent twice',
    [
      [0, sent],
      [1, sent],
    ],
    'requesting',
  ],
  [
    'a second answer is ignored',
    [
      [0, sent],
      [1, answer('failed')],
      [2, answer('success')],
    ],
    'failed',
  ],
  [
    'a late answer is ignored',
    [
      [HOUR, tick],
      [HOUR + 1, answer('success')],
    ],
    'timeout',
  ],
  [
    'a reboot without an answer is not repeated',
    [
      [0, sent],
      [S, tick],
    ],
    'timeout',
    'reboot',
  ],
  [
    'a reboot that interrupts its own connection',
    [
      [0, sent],
      [1, lost],
    ],
    'timeout',
    'reboot',
  ],
])('a command behaves correctly: %s', (_name, events, state, kind) => {
  const end = events.reduce((progress, [at, event]) => stepCommand(progress, event, at), begin(kind));
  expect(end.state).toBe(state);
});

test('a finished command does not change, and no command is sent more than three times', () => {
  const event = fc.oneof(
    fc.constantFrom(sent, lost, tick),
    fc.constantFrom(...(['configuring', 'success', 'failed'] as const)).map(answer),
  );
  fc.assert(
    fc.property(
      fc.constantFrom(...COMMAND_KINDS),
      fc.array(fc.tuple(fc.nat(S), event), { maxLength: 40 }),
      (kind, steps) => {
        let progress = begin(kind);
        let now = 0;
        for (const [wait, each] of steps) {
          now += wait;
          const next = stepCommand(progress, each, now);
          if (!isOpen(progress.state)) expect(next).toBe(progress);
          expect(REQUEST_STATES).toContain(next.state);
          progress = next;
        }
        expect(progress.attempts).toBeLessThanOrEqual(3);
      },
    ),
  );
});
