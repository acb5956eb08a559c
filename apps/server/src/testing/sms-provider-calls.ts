import type { CallTools, Step } from './call-steps.ts';

/** Returns the calls on SMS providers, each with its own provider. Nothing listens at their address. */
export function smsProviderSteps({
  one,
  unique,
  why,
}: Pick<CallTools, 'one' | 'unique' | 'why'>): Record<string, () => Promise<Step> | Step> {
  const fields = () => ({
    name: unique(),
    kind: 'http',
    url: 'http://127.0.0.1:9/sms',
    body: '{"to":"{{number}}","text":"{{text}}"}',
  });
  const make = () =>
    one(
      `insert into sms_provider (name, kind, enabled, priority, url, settings, changed_by, changed_at)
       values ($1, 'http', false, 1, 'http://127.0.0.1:9/sms', $2, 'test', now()) returning id`,
      [
        unique(),
        JSON.stringify({
          keyId: '',
          signName: '',
          templateZhCn: '',
          templateZhTw: '',
          templateEn: '',
          templateEs: '',
          body: '{}',
          successPath: '',
          successValue: '',
          idPath: '',
        }),
      ],
    );
  return {
    listSmsProviders: async () => {
      const id = await make();
      return { holds: (data) => JSON.stringify(data).includes(`"id":${id},`) };
    },
    createSmsProvider: () => ({ json: fields() }),
    editSmsProvider: async () => ({ params: { id: await make() }, json: fields() }),
    deleteSmsProvider: async () => ({ params: { id: await make() }, json: why }),
    testSmsProvider: async () => ({ params: { id: await make() }, json: { mobile: '13812345678' } }),
    getReceiptAddress: async () => ({ params: { id: await make() } }),
  };
}
