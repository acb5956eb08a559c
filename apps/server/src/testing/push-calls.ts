import { createECDH, randomBytes } from 'node:crypto';
import type { CallTools, Step } from './call-steps.ts';

/** A subscription of a browser at an address that nobody listens on. */
export function newSubscription(endpoint: string) {
  const curve = createECDH('prime256v1');
  curve.generateKeys();
  return {
    endpoint,
    p256dh: curve.getPublicKey().toString('base64url'),
    auth: randomBytes(16).toString('base64url'),
    name: 'Chrome · Android',
  };
}

/** Returns the calls on browsers for notifications, each with its own browser of the caller. */
export function pushSteps({
  one,
  unique,
}: Pick<CallTools, 'one' | 'unique'>): Record<string, (callerName: string) => Promise<Step> | Step> {
  // The address is public and refuses connections at once.
  const endpoint = () => `https://[100::1]:9/${unique()}`;
  const make = async (callerName: string) => {
    const { p256dh, auth, name, endpoint: address } = newSubscription(endpoint());
    return one(
      `insert into push_subscription (account_id, endpoint, p256dh, auth, name, created_at)
       select id, $2, $3, $4, $5, now() from account where username = $1 returning id`,
      [callerName === 'nobody' ? 'demo.platform' : callerName, address, p256dh, auth, name],
    );
  };
  return {
    addPushBrowser: () => ({ json: newSubscription(`https://8.8.8.8/${unique()}`) }),
    removePushBrowser: async (callerName) => ({ params: { id: await make(callerName) } }),
    testPushBrowser: async (callerName) => ({ params: { id: await make(callerName) } }),
  };
}
