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
  ['it waits', [[HOUR - 1, tick]], 'reserved'],
  ['it waits no longer than it may', [[HOUR, tick]], 'timeout'],
  ['it went out', [[5, sent]], 'requesting'],
  [
    'it is answered',
    [
      [5, sent],
      [6, answer('success')],
    ],
    'success',
  ],
  [
    'it is refused',
    [
      [5, sent],
      [6, answer('failed')],
    ],
    'failed',
  ],
  [
    'the device is at it',
    [
      [5, sent],
      [6, answer('configuring')],
      [S + 5, tick],
    ],
    'configuring',
  ],
  [
    'and done with it',
    [
      [5, sent],
      [6, answer('configuring')],
      [9, answer('success')],
    ],
    'success',
  ],
  [
    'the device says again that it is at it',
    [
      [5, sent],
      [6, answer('configuring')],
      [7, answer('configuring')],
    ],
    'configuring',
  ],
  [
    'the device does not come to an end',
    [
      [5, sent],
      [6, answer('configuring')],
      [6 + CONFIGURE_WITHIN_MS, tick],
    ],
    'timeout',
  ],
  [
    'no answer in time: it goes out again',
    [
      [0, sent],
      [S - 1, tick],
    ],
    'requesting',
  ],
  [
    'no answer: it waits for its next turn',
    [
      [0, sent],
      [S, tick],
    ],
    'reserved',
  ],
  [
    'no answer to the third',
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
    'no answer until it is over',
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
    'the connection ended while the device was at it',
    [
      [0, sent],
      [1, answer('configuring')],
      [2, lost],
    ],
    'configuring',
  ],
  ['the connection ended before it went out', [[0, lost]], 'reserved'],
  [
    'the answer came over the next connection',
    [
      [0, sent],
      [1, lost],
      [2, answer('success')],
    ],
    'success',
  ],
  ['an answer to what never went out', [[0, answer('success')]], 'reserved'],
  [
    'it went out twice',
    [
      [0, sent],
      [1, sent],
    ],
    'requesting',
  ],
  [
    'a second answer',
    [
      [0, sent],
      [1, answer('failed')],
      [2, answer('success')],
    ],
    'failed',
  ],
  [
    'an answer after its time',
    [
      [HOUR, tick],
      [HOUR + 1, answer('success')],
    ],
    'timeout',
  ],
  [
    'a reboot without a word is not made to happen twice',
    [
      [0, sent],
      [S, tick],
    ],
    'timeout',
    'reboot',
  ],
  [
    'a reboot that cuts its own connection',
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
