import type { CallTools, Step } from './call-steps.ts';

/** Returns the calls on suppression windows, each with its own window. */
export function suppressionSteps({
  one,
  unique,
  demo,
}: CallTools): Record<string, () => Promise<Step> | Step> {
  const make = async (name = unique()) =>
    one(
      `insert into alarm_suppression (organization_id, target_kind, target_id, target_name, kind, starts_at, ends_at,
                                      reason, highest_level, owner, declared_at, changed_by, changed_at)
       values ($1, 'organization', $1, 'Demo', 'other', now() + interval '1 hour', now() + interval '2 hours', $2, 1,
               'Test', now(), 'test', now()) returning id`,
      [demo, name],
    );
  const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
  const outside = 'suppression.not_found';
  return {
    createSuppression: () => ({
      json: {
        targetKind: 'organization',
        targetId: demo,
        kind: 'other',
        from: inHours(1),
        until: inHours(2),
        reason: unique(),
        highestLevel: 1,
      },
      outside: 'suppression.target',
    }),
    editSuppression: async () => ({
      params: { id: await make() },
      json: { until: inHours(3), reason: unique() },
      outside,
    }),
    endSuppression: async () => ({ params: { id: await make() }, outside }),
    getSuppression: async () => ({ params: { id: await make() }, outside }),
    listSuppressions: async () => {
      const name = unique();
      await make(name);
      return { query: { search: name }, holds: (data) => JSON.stringify(data).includes(name) };
    },
  };
}
