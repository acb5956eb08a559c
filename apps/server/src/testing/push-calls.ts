import { createECDH, generateKeyPairSync, randomBytes } from 'node:crypto';
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

/** A registration token of FCM. */
const newToken = () => randomBytes(60).toString('base64url');

/** JSON key of a service account that exchanges assertions at an address. */
export const newServiceAccount = (tokenUrl: string): string =>
  JSON.stringify({
    type: 'service_account',
    project_id: 'test-project',
    private_key_id: randomBytes(20).toString('hex'),
    private_key: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
      type: 'pkcs8',
      format: 'pem',
    }),
    client_email: 'push@test-project.iam.gserviceaccount.com',
    token_uri: tokenUrl,
  });

/** Token key of APNs (.p8). */
export const newApnsKey = (): string =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString();

/** Returns the calls on browsers and apps for notifications, each with its own browser or app of the caller. */
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
  /** Configures a service at an address where nobody listens; its key cannot be decrypted. */
  const service = () =>
    one(
      `insert into push_service (service, enabled, url, settings, sealed_secret, secret_changed_at, changed_by, changed_at)
       values ('fcm', true, 'https://[100::1]:9', '{"projectId": "p", "clientEmail": "a@p", "tokenUrl": "https://[100::1]:9"}',
               '', now(), 'test', now())
       on conflict (service) do update set enabled = true returning 1 as id`,
    );
  const app = async (callerName: string) => {
    await service();
    return one(
      `insert into push_app (account_id, service, token, name, registered_at)
       select id, 'fcm', $2, 'Pixel 9', now() from account where username = $1 returning id`,
      [callerName === 'nobody' ? 'demo.platform' : callerName, newToken()],
    );
  };
  return {
    registerPushApp: async () => {
      await service();
      return { json: { service: 'fcm', token: newToken(), name: 'Pixel 9' } };
    },
    removePushApp: async (callerName) => ({ params: { id: await app(callerName) } }),
    testPushApp: async (callerName) => ({ params: { id: await app(callerName) } }),
    saveFcm: () => ({
      json: { url: 'https://[100::1]:9', credentials: newServiceAccount('https://[100::1]:9/') },
    }),
    saveApns: () => ({
      json: {
        url: 'https://[100::1]:9',
        keyId: 'ABC123DEFG',
        teamId: 'DEF123GHIJ',
        topic: 'com.example.app',
        key: newApnsKey(),
      },
    }),
    testPushService: async () => {
      await service();
      return { params: { service: 'fcm' } };
    },
    addPushBrowser: () => ({ json: newSubscription(`https://8.8.8.8/${unique()}`) }),
    removePushBrowser: async (callerName) => ({ params: { id: await make(callerName) } }),
    testPushBrowser: async (callerName) => ({ params: { id: await make(callerName) } }),
  };
}
