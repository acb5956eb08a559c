import { expect, it } from 'vitest';
import { judgeSilence, type SilenceFacts } from './silence.ts';

const MIN = 60_000;

const facts = (over: Partial<SilenceFacts>): SilenceFacts => ({
  now: 100 * MIN,
  afterMs: 10 * MIN,
  ofDevice: false,
  heardAt: 50 * MIN,
  deviceHeardAt: 50 * MIN,
  intervalMs: MIN,
  countedFrom: Number.NEGATIVE_INFINITY,
  isWatched: true,
  ...over,
});

it.each<[string, Partial<SilenceFacts>, ReturnType<typeof judgeSilence>]>([
  [
    'a device that is silent as a whole is one alarm',
    {},
    { type: 'silent', subject: 'device', raisedAt: 60 * MIN },
  ],
  [
    'a reading moves the rule forward',
    { heardAt: 95 * MIN, deviceHeardAt: 95 * MIN },
    { type: 'wait', until: 105 * MIN },
  ],
  [
    'silence that has lasted for exactly the allowed time is an alarm',
    { heardAt: 90 * MIN, deviceHeardAt: 90 * MIN },
    { type: 'silent', subject: 'device', raisedAt: 100 * MIN },
  ],
  [
    'a channel is silent by itself while its device goes on reporting',
    { deviceHeardAt: 99 * MIN },
    { type: 'silent', subject: 'channel', raisedAt: 60 * MIN },
  ],
  [
    'a channel waits for the other channels of the same round',
    { heardAt: 90 * MIN, deviceHeardAt: 90 * MIN + 30_000 },
    { type: 'wait', until: 100 * MIN + 30_000 },
  ],
  [
    'a rule of the device looks at all channels',
    { ofDevice: true, deviceHeardAt: 99 * MIN },
    { type: 'wait', until: 109 * MIN },
  ],
  [
    'a channel that has never reported has not fallen silent',
    { heardAt: Number.NEGATIVE_INFINITY },
    { type: 'wait', until: 110 * MIN },
  ],
  [
    'a device that has never reported has not fallen silent',
    { ofDevice: true, deviceHeardAt: Number.NEGATIVE_INFINITY },
    { type: 'wait', until: 110 * MIN },
  ],
  ['nothing is judged while it is not watched', { isWatched: false }, { type: 'wait', until: 110 * MIN }],
  [
    'silence counts from the return of the device or of its asset on',
    { countedFrom: 95 * MIN },
    { type: 'wait', until: 105 * MIN },
  ],
  [
    'the alarm is dated by what silence counts from',
    { countedFrom: 88 * MIN },
    { type: 'silent', subject: 'device', raisedAt: 98 * MIN },
  ],
])('missing data is detected correctly: %s', (_name, over, verdict) => {
  expect(judgeSilence(facts(over))).toEqual(verdict);
});
