/** Meaning of the topic to which a device publishes in the ThingsBoard device API (MQTT). */
export type ThingsboardTopic =
  | {
      kind:
        | 'telemetry'
        | 'attributes'
        | 'claim'
        | 'gateway-telemetry'
        | 'gateway-attributes'
        | 'gateway-attribute-request'
        | 'gateway-connect'
        | 'gateway-disconnect'
        | 'gateway-rpc'
        | 'gateway-claim';
    }
  | { kind: 'attribute-request' | 'rpc-call'; answerTopic: string }
  | { kind: 'rpc-answer'; id: number }
  | { kind: 'firmware-chunk'; answerTopic: string; chunk: number };

/** Topics without a request number. The short forms are those of the second API version. */
const PLAIN: ReadonlyMap<string, ThingsboardTopic> = new Map([
  ['v1/devices/me/telemetry', { kind: 'telemetry' }],
  ['v2/t', { kind: 'telemetry' }],
  ['v2/t/j', { kind: 'telemetry' }],
  ['v1/devices/me/attributes', { kind: 'attributes' }],
  ['v2/a', { kind: 'attributes' }],
  ['v2/a/j', { kind: 'attributes' }],
  ['v1/devices/me/claim', { kind: 'claim' }],
  ['v2/c', { kind: 'claim' }],
  ['v2/c/j', { kind: 'claim' }],
  ['v1/gateway/telemetry', { kind: 'gateway-telemetry' }],
  ['v1/gateway/attributes', { kind: 'gateway-attributes' }],
  ['v1/gateway/attributes/request', { kind: 'gateway-attribute-request' }],
  ['v1/gateway/connect', { kind: 'gateway-connect' }],
  ['v1/gateway/disconnect', { kind: 'gateway-disconnect' }],
  ['v1/gateway/rpc', { kind: 'gateway-rpc' }],
  ['v1/gateway/claim', { kind: 'gateway-claim' }],
]);

type Numbered = [pattern: RegExp, of: (found: readonly string[]) => ThingsboardTopic];

/** Topics with a request number, which is the second group. The response repeats it. */
const NUMBERED: readonly Numbered[] = [
  [
    /^v1\/devices\/me\/attributes\/request\/()(\d{1,10})$/,
    ([, , id]) => ({ kind: 'attribute-request', answerTopic: `v1/devices/me/attributes/response/${id}` }),
  ],
  [
    /^v2\/a\/req\/(j\/)?(\d{1,10})$/,
    ([, form = '', id]) => ({ kind: 'attribute-request', answerTopic: `v2/a/res/${form}${id}` }),
  ],
  [
    /^v1\/devices\/me\/rpc\/request\/()(\d{1,10})$/,
    ([, , id]) => ({ kind: 'rpc-call', answerTopic: `v1/devices/me/rpc/response/${id}` }),
  ],
  [
    /^v2\/r\/req\/(j\/)?(\d{1,10})$/,
    ([, form = '', id]) => ({ kind: 'rpc-call', answerTopic: `v2/r/res/${form}${id}` }),
  ],
  [/^v1\/devices\/me\/rpc\/response\/()(\d{1,10})$/, ([, , id]) => ({ kind: 'rpc-answer', id: Number(id) })],
  [/^v2\/r\/res\/(j\/)?(\d{1,10})$/, ([, , id]) => ({ kind: 'rpc-answer', id: Number(id) })],
  [
    /^v2\/fw\/request\/(\w{1,32})\/chunk\/(\d{1,7})$/,
    ([, id, chunk]) => ({
      kind: 'firmware-chunk',
      answerTopic: `v2/fw/response/${id}/chunk/${chunk}`,
      chunk: Number(chunk),
    }),
  ],
];

/**
 * Returns the meaning of a topic; null for a topic that is not supported, such as those for Protocol Buffers
 * (`v2/t/p`).
 */
export function readThingsboardTopic(topic: string): ThingsboardTopic | null {
  const plain = PLAIN.get(topic);
  if (plain) return plain;
  for (const [pattern, of] of NUMBERED) {
    const found = pattern.exec(topic);
    if (found) return of(found);
  }
  return null;
}
