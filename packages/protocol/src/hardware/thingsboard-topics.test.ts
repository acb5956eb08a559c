import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readThingsboardTopic, type ThingsboardTopic } from './thingsboard-topics.ts';

const { topics } = JSON.parse(
  readFileSync(new URL('../../vectors/thingsboard-topics.json', import.meta.url), 'utf8'),
) as { topics: { topic: string; means: ThingsboardTopic | null }[] };

test.each(topics)('the topic "$topic" is recognised correctly', ({ topic, means }) => {
  expect(readThingsboardTopic(topic)).toEqual(means);
});

test('a response is sent to a topic with the number of the request', () => {
  fc.assert(
    fc.property(fc.constantFrom('v1/devices/me/attributes/request/', 'v2/r/req/'), fc.nat(), (prefix, id) => {
      const found = readThingsboardTopic(prefix + id);
      expect(found && 'answerTopic' in found && found.answerTopic.endsWith(`/${id}`)).toBe(true);
    }),
  );
});
