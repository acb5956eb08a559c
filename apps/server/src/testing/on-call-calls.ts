import type { CallTools, Step } from './call-steps.ts';

/** Returns the calls on on-call schedules, each with its own schedule. */
export function onCallSteps({
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
  const person = async () => ({ type: 'receivers', id: await makeReceiver() });
  const make = async (name = unique()) =>
    one(
      `insert into alarm_on_call_schedule (organization_id, name, description, people, starts_on, handover_at, time_zone,
                                           turn_days, changed_by, changed_at)
       values ($1, $2, '', $3, '2026-11-23', '08:00', 'UTC', 7, 'test', now()) returning id`,
      [demo, name, JSON.stringify([await person()])],
    );
  const form = async () => ({
    organizationId: demo,
    name: unique(),
    people: [await person()],
    startsOn: '2026-11-23',
    handoverAt: '08:00',
    timeZone: 'UTC',
    turnDays: 7,
  });
  const span = { from: '2026-11-24T08:00:00.000Z', until: '2026-11-25T08:00:00.000Z' };
  const outside = 'on_call.not_found';
  return {
    createOnCall: async () => ({ json: await form(), outside: 'organization.not_found' }),
    editOnCall: async () => ({ params: { id: await make() }, json: await form(), outside }),
    deleteOnCall: async () => ({ params: { id: await make() }, json: why, outside }),
    addOnCallChange: async () => ({
      params: { id: await make() },
      json: { kind: 'leave', person: await person(), ...span },
      outside,
    }),
    removeOnCallChange: async () => {
      const id = await make();
      const changeId = await one(
        `insert into alarm_on_call_change (schedule_id, kind, person_type, person_id, starts_at, ends_at)
         values ($1, 'leave', 'receivers', $2, $3, $4) returning id`,
        [id, await makeReceiver(), span.from, span.until],
      );
      return { params: { id, changeId }, outside };
    },
    listOnCall: async () => {
      const name = unique();
      await make(name);
      return { holds: (data) => JSON.stringify(data).includes(name) };
    },
    listOnCallCandidates: async () => {
      const name = unique();
      await makeReceiver(name);
      return { query: { search: name }, holds: (data) => JSON.stringify(data).includes(name) };
    },
  };
}
