import type { CallTools, Step } from './call-steps.ts';

/** Returns the calls on alertors, each with its own alertor. */
export function alertorSteps({
  one,
  unique,
  demo,
  why,
}: CallTools): Record<string, () => Promise<Step> | Step> {
  const make = (name = unique()) =>
    one(
      `insert into alertor (organization_id, name, serial, kind, place, key_hash, changed_by, changed_at)
       values ($1, $2, $3, 'alertor', 'Hall', sha256('key'), 'test', now()) returning id`,
      [demo, name, serial()],
    );
  const serial = () => unique().replaceAll(/[^A-Za-z0-9-]/g, '');
  const form = () => ({
    organizationId: demo,
    name: unique(),
    serial: serial(),
    kind: 'alertor',
    place: 'Hall',
  });
  const outside = 'alertor.not_found';
  return {
    createAlertor: () => ({ json: form(), outside: 'organization.not_found' }),
    deleteAlertor: async () => ({ params: { id: await make() }, json: why, outside }),
    editAlertor: async () => ({ params: { id: await make() }, json: form(), outside }),
    getAlertor: async () => ({ params: { id: await make() }, outside }),
    renewAlertorKey: async () => ({ params: { id: await make() }, json: why, outside }),
    listAlertors: async () => {
      const name = unique();
      await make(name);
      return { query: { search: name }, holds: (data) => JSON.stringify(data).includes(name) };
    },
  };
}
