import type { CallTools, Step } from './call-steps.ts';

/** Returns the calls on shift handovers, each with its own handover. */
export function handoverSteps({ one, unique, demo }: CallTools): Record<string, () => Promise<Step> | Step> {
  const content = {
    alarms: [],
    sections: { open: [], unacknowledged: [], raised: [], acknowledged: [], ended: [] },
    suppressions: [],
    gaps: [],
  };
  // Signed by the platform administrator, who calls none of the routes.
  const make = (comment = unique()) =>
    one(
      `insert into alarm_handover (organization_id, starts_at, ends_at, content, comment, signed_by, signed_name)
       select $1, now() - interval '1 hour', now(), $2, $3, id, 'Test' from account where username = 'demo.platform'
       returning id`,
      [demo, JSON.stringify(content), comment],
    );
  const outside = 'handover.not_found';
  return {
    listHandovers: async () => {
      const comment = unique();
      await make(comment);
      return { query: { search: comment }, holds: (data) => JSON.stringify(data).includes(comment) };
    },
    previewHandover: () => ({
      query: { organizationId: String(demo) },
      outside: 'organization.not_found',
    }),
    getHandover: async () => ({ params: { id: await make() }, outside }),
    signHandover: () => ({
      json: { organizationId: demo, comment: unique() },
      outside: 'organization.not_found',
    }),
    takeHandover: async () => ({ params: { id: await make() }, outside }),
  };
}
