import { AppError } from '@isotherm/contracts/errors';
import {
  addPushBrowser,
  listPushBrowsers,
  removePushBrowser,
  testPushBrowser,
} from '@isotherm/contracts/web-push';
import { MAX_BROWSERS } from '@isotherm/domain/notifications/web-push';
import type { Translate } from '@isotherm/i18n/translator';
import type pg from 'pg';
import type { Audit } from '../../../platform/audit/audit.ts';
import type { Clock } from '../../../platform/clock.ts';
import { transaction } from '../../../platform/db/pool.ts';
import type { Mount } from '../../../platform/http/mount.ts';
import { type Outgoing, OutgoingError } from '../../../platform/outgoing/outgoing.ts';
import { deleteBrowser, hasEndpoint, insertBrowser, listBrowsers, lockBrowsers } from './push.repo.ts';
import type { PushGateway } from './push-gateway.ts';
import { pushWords } from './push-words.ts';

/** Mounts the browsers of the caller that receive alarms as notifications. */
export function mountPush(
  mount: Mount,
  {
    pool,
    gateway,
    audit,
    outgoing,
    clock,
    translate,
  }: {
    pool: pg.Pool;
    gateway: PushGateway;
    audit: Pick<Audit, 'record'>;
    outgoing: Pick<Outgoing, 'addressOf'>;
    clock: Clock;
    translate: Translate;
  },
): void {
  const entry = (action: 'create' | 'delete', id: number, name: string, organizationPath: string) => ({
    action,
    objectKind: 'push-browser',
    objectId: id,
    objectName: name,
    organizationPath,
  });

  mount(listPushBrowsers, async ({ caller }) => ({
    publicKey: await gateway.publicKey(),
    browsers: await listBrowsers(pool, caller.accountId),
  }));

  mount(addPushBrowser, async ({ caller, body }) => {
    // Only addresses of push services in the internet, so that no request goes to a private one (decision 19).
    await outgoing.addressOf(new URL(body.endpoint).hostname).catch((error) => {
      throw error instanceof OutgoingError ? new AppError('push.address') : error;
    });
    return transaction(pool, async (tx) => {
      const count = await lockBrowsers(tx, caller.accountId);
      const isKnown = await hasEndpoint(tx, caller.accountId, body.endpoint);
      if (!isKnown && count >= MAX_BROWSERS) throw new AppError('push.too_many', { most: MAX_BROWSERS });
      const browser = await insertBrowser(tx, caller.accountId, body, new Date(clock.now()));
      if (!isKnown) await audit.record(tx, caller, entry('create', browser.id, browser.name, caller.scope));
      return browser;
    });
  });

  mount(removePushBrowser, async ({ caller, params }) => {
    await transaction(pool, async (tx) => {
      const name = await deleteBrowser(tx, caller.accountId, params.id);
      if (name === null) throw new AppError('push.not_found');
      await audit.record(tx, caller, entry('delete', params.id, name, caller.scope));
    });
    return null;
  });

  mount(testPushBrowser, async ({ caller, params, language }) => {
    const browsers = await listBrowsers(pool, caller.accountId);
    if (!browsers.some(({ id }) => id === params.id)) throw new AppError('push.not_found');
    const outcome = await gateway.send(
      caller.accountId,
      {
        title: translate(language, 'push.test.title'),
        text: translate(language, 'push.test.text'),
        tag: 'test',
        path: '/management/account',
        at: clock.now(),
        language,
        stays: false,
        acknowledge: null,
        words: pushWords(language, translate),
      },
      params.id,
    );
    return { outcome: outcome.kind, error: 'error' in outcome ? outcome.error : '' };
  });
}
