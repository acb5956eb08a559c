import type { CallTools, Step } from './call-steps.ts';

/** Returns the calls on notification texts, each with its own organisation, because an organisation has one of a kind. */
export function templateSteps({
  one,
  unique,
  demo,
  why,
}: CallTools): Record<string, () => Promise<Step> | Step> {
  const organization = () =>
    one(
      `insert into organization (parent_id, code, name, level, path)
       select id, $2, $2, 'unit-department', path || (1000000 + floor(random() * 1000000000))::bigint || '/'
         from organization where id = $1 returning id`,
      [demo, unique()],
    );
  const make = async (word = unique()) => {
    const organizationId = await organization();
    const id = await one(
      `insert into message_template (organization_id, channel, kind, language, subject, body, changed_by, changed_at)
       values ($1, 'sms', 'alarm', 'en', '', $2, 'test', now()) returning id`,
      [organizationId, `{{asset}} {{fault}} {{time}} ${word}`],
    );
    return { id, organizationId };
  };
  const form = (organizationId = demo) => ({
    organizationId,
    channel: 'email',
    kind: 'alarm',
    language: 'en',
    subject: '{{fault}}',
    body: '{{asset}} {{fault}} {{time}}',
  });
  const outside = 'message_template.not_found';
  const noOrganization = 'organization.not_found';
  return {
    createMessageTemplate: async () => ({ json: form(await organization()), outside: noOrganization }),
    editMessageTemplate: async () => {
      const { id, organizationId } = await make();
      return { params: { id }, json: form(organizationId), outside };
    },
    getMessageTemplate: async () => ({ params: { id: (await make()).id }, outside }),
    getInheritedTemplate: () => ({
      query: { organizationId: String(demo), channel: 'sms', kind: 'alarm', language: 'en' },
      outside: noOrganization,
    }),
    resetMessageTemplate: async () => ({ params: { id: (await make()).id }, json: why, outside }),
    previewMessageTemplate: () => ({ json: form(), outside: noOrganization }),
    // An account without an e-mail address is told so.
    testMessageTemplate: () => ({ json: form(), status: null, outside: noOrganization }),
    listMessageTemplates: async () => {
      const word = unique();
      await make(word);
      return { query: { search: word }, holds: (data) => JSON.stringify(data).includes(word) };
    },
  };
}
