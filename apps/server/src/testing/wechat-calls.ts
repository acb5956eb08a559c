import type { CallTools, Step } from './call-steps.ts';

/** Returns the calls on WeChat. Nothing listens at the address of the official account. */
export function wechatSteps({
  one,
  unique,
  demo,
}: CallTools): Record<string, (callerName: string) => Promise<Step> | Step> {
  const makeReceiver = async () => {
    await one(
      `insert into wechat_account (enabled, url, app_id, sealed_secret, sealed_token, template_zh_cn, template_zh_tw,
                                   template_en, template_es, fields, secret_changed_at, changed_by, changed_at)
       values (true, 'https://[100::1]:9', 'wx1', '', '', 'a', '', '', '', '{}', now(), 'test', now())
       on conflict (only_one) do update set enabled = true returning 1 as id`,
    );
    return one(
      `insert into alarm_receiver (organization_id, name, country_code, mobile, email, wechat, language, time_zone,
                                   description, changed_by, changed_at)
       values ($1, $2, '+86', '', 'duty@example.com', '', 'en', 'UTC', '', 'test', now()) returning id`,
      [demo, unique()],
    );
  };
  const bind = (type: string, id: number) =>
    one(
      `insert into wechat_binding (person_type, person_id, app_id, open_id, subscribed, bound_at)
       values ($1, $2, 'wx1', 'oUser', true, now())
       on conflict (person_type, person_id) do update set subscribed = true returning person_id as id`,
      [type, id],
    );
  const ofCaller = async (callerName: string) => {
    await makeReceiver();
    return bind(
      'accounts',
      await one('select id from account where username = $1', [
        callerName === 'nobody' ? 'demo.platform' : callerName,
      ]),
    );
  };
  const outside = 'receiver.not_found';
  return {
    saveWechatAccount: () => ({
      json: {
        url: 'https://[100::1]:9',
        appId: 'wx1',
        secret: 'secret',
        token: 'token',
        templateEn: 'a',
        fields: '{}',
      },
    }),
    testWechat: async (callerName) => {
      await ofCaller(callerName);
      return {};
    },
    createOwnWechatCode: async (callerName) => {
      await ofCaller(callerName);
      return { status: 'wechat.unavailable' };
    },
    removeOwnWechat: async (callerName) => {
      await ofCaller(callerName);
      return {};
    },
    getReceiverWechat: async () => ({ params: { id: await makeReceiver() }, outside }),
    createReceiverWechatCode: async () => ({
      params: { id: await makeReceiver() },
      status: 'wechat.unavailable',
      outside,
    }),
    removeReceiverWechat: async () => {
      const id = await makeReceiver();
      await bind('receivers', id);
      return { params: { id }, outside };
    },
  };
}
