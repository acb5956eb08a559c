import type { CallTools, Step } from './call-steps.ts';

/** Returns the calls on recipient groups, each with its own group. */
export function recipientGroupSteps({
  one,
  unique,
  demo,
  why,
}: CallTools): Record<string, () => Promise<Step> | Step> {
  const makeReceiver = (name = unique()) =>
    one(
      `insert into alarm_receiver (organization_id, name, country_code, mobile, email, wechat, language, time_zone,
                                   description, changed_by, changed_at)
       values ($1, $2, '+86', '', 'duty@example.com', '', 'en', 'UTC', '', 'test', now()) returning id`,
      [demo, name],
    );
  const make = async (name = unique()) => {
    const id = await one(
      `insert into alarm_recipient_group (organization_id, name, description, changed_by, changed_at)
       values ($1, $2, '', 'test', now()) returning id`,
      [demo, name],
    );
    await one(
      `insert into alarm_recipient_group_member (group_id, type, member_id) values ($1, 'receivers', $2)
       returning group_id as id`,
      [id, await makeReceiver()],
    );
    return id;
  };
  const form = async () => ({
    organizationId: demo,
    name: unique(),
    members: [{ type: 'receivers', id: await makeReceiver() }],
  });
  const found = async (holds: (name: string) => Step['holds']): Promise<Step> => {
    const name = unique();
    await make(name);
    return { query: { search: name }, holds: holds(name) };
  };
  const outside = 'recipient_group.not_found';
  return {
    createRecipientGroup: async () => ({ json: await form(), outside: 'organization.not_found' }),
    deleteRecipientGroup: async () => ({ params: { id: await make() }, json: why, outside }),
    editRecipientGroup: async () => ({ params: { id: await make() }, json: await form(), outside }),
    getRecipientGroup: async () => ({ params: { id: await make() }, outside }),
    exportRecipientGroups: () => found(() => (data) => (data as { rows: number }).rows > 0),
    listRecipientGroups: () => found((name) => (data) => JSON.stringify(data).includes(name)),
    listGroupCandidates: async () => {
      const name = unique();
      await makeReceiver(name);
      return { query: { search: name }, holds: (data) => JSON.stringify(data).includes(name) };
    },
  };
}
