import { type BACK_TEST_TARGETS, backTestPolicy, listBackTestChannels } from '@isotherm/contracts/back-test';
import { getCurve } from '@isotherm/contracts/telemetry';
import type { PolicyDefinition } from '@isotherm/domain/alarms/graded-policy';
import type { Indicator } from '@isotherm/domain/readings/indicator';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { call } from '../../../shared/api/client.ts';
import { type BackTestAnswer, merged } from './back-test-draft.ts';
import { POLICIES_KEY } from './policies.queries.ts';

const KEY = [...POLICIES_KEY, 'back-test'] as const;
export const BACK_TEST_DAYS = 90;
/** Number of channels per request. Several requests are sent, so that the progress can be shown. */
const AT_ONCE = 20;
/** Number of example channels for a policy that has no channels of its own. */
const EXAMPLES = 20;

/** Which channels a draft is tested on; an organisation or group may not be chosen yet. */
export type BackTestScope =
  | { kind: 'assigned'; policyId: number }
  | { kind: 'examples' }
  | { kind: (typeof BACK_TEST_TARGETS)[number]; id: number | undefined };

/** Query of the channels on which a draft is tested. */
export const backTestChannelsQuery = (scope: BackTestScope, quantities: readonly Indicator[]) =>
  queryOptions({
    queryKey: [...KEY, 'channels', scope, quantities.join(',')],
    queryFn: ({ signal }) =>
      call(listBackTestChannels, {
        query: { quantities: quantities.join(','), ...channelsOf(scope) },
        signal,
        quiet: true,
      }),
    enabled: quantities.length > 0 && !('id' in scope && scope.id === undefined),
    placeholderData: keepPreviousData,
  });

function channelsOf(scope: BackTestScope) {
  if (scope.kind === 'assigned') return { policyId: scope.policyId };
  if (scope.kind === 'examples') return { limit: EXAMPLES };
  return { targetKind: scope.kind, targetId: scope.id as number };
}

/**
 * Query of the back-test of a definition, in portions of channels. `tell` is called with the number of
 * channels that are done.
 */
export const backTestQuery = (
  definition: PolicyDefinition | null,
  channelIds: readonly number[],
  tell: (done: number) => void,
) =>
  queryOptions({
    queryKey: [...KEY, 'run', JSON.stringify(definition), channelIds.join(',')],
    queryFn: async ({ signal }) => {
      const parts: BackTestAnswer[] = [];
      tell(0);
      for (let from = 0; from < channelIds.length; from += AT_ONCE) {
        const [first] = parts;
        parts.push(
          await call(backTestPolicy, {
            body: {
              definition: definition as never,
              channelIds: channelIds.slice(from, from + AT_ONCE),
              days: BACK_TEST_DAYS,
              // All portions cover the same period.
              ...(first ? { to: first.to } : {}),
            },
            signal,
            quiet: true,
          }),
        );
        tell(Math.min(from + AT_ONCE, channelIds.length));
      }
      return merged(parts) as BackTestAnswer;
    },
    enabled: definition !== null && channelIds.length > 0,
    placeholderData: keepPreviousData,
    staleTime: 5 * 60_000,
    retry: false,
  });

export const backTestCurveQuery = (
  channelId: number | null,
  range: { from: string; to: string },
  points: number,
) =>
  queryOptions({
    queryKey: [...KEY, 'curve', channelId, range.from, range.to, points],
    queryFn: ({ signal }) =>
      call(getCurve, {
        query: { channels: String(channelId), ...range, points },
        signal,
        quiet: true,
      }),
    enabled: channelId !== null && points > 0,
    placeholderData: keepPreviousData,
    staleTime: 5 * 60_000,
  });
