import { AppError } from '@isotherm/contracts/errors';
import { listPushApps, registerPushApp, removePushApp, testPushApp } from '@isotherm/contracts/push-apps';
import { getPushServices, saveApns, saveFcm, testPushService } from '@isotherm/contracts/push-services';
import { MAX_PUSH_APPS } from '@isotherm/domain/notifications/mobile-push';
import type { Translate } from '@isotherm/i18n/translator';
import type pg from 'pg';
import type { Audit } from '../../../platform/audit/audit.ts';
import type { Clock } from '../../../platform/clock.ts';
import { transaction } from '../../../platform/db/pool.ts';
import type { Mount } from '../../../platform/http/mount.ts';
import type { AppGateway } from './app-gateway.ts';
import { deleteApp, listApps, lockApps, saveApp } from './push-apps.repo.ts';
import { findService, listServices } from './push-services.repo.ts';
import { type PushServicesService, testNotification } from './push-services.service.ts';

/** Mounts the configuration of push services. */
export function mountPushServices(mount: Mount, service: PushServicesService): void {
  mount(getPushServices, () => service.services());
  mount(saveFcm, ({ caller, body }) => service.saveFcm(caller, body));
  mount(saveApns, ({ caller, body }) => service.saveApns(caller, body));
  mount(testPushService, ({ caller, params }) => service.test(caller, params.service));
}

/** Mounts the mobile apps of the caller that receive alarms as notifications. */
export function mountPushApps(
  mount: Mount,
  {
    pool,
    gateway,
    audit,
    clock,
    translate,
  }: {
    pool: pg.Pool;
    gateway: AppGateway;
    audit: Pick<Audit, 'record'>;
    clock: Clock;
    translate: Translate;
  },
): void {
  const entry = (action: 'create' | 'delete', id: number, name: string, organizationPath: string) => ({
    action,
    objectKind: 'push-app',
    objectId: id,
    objectName: name,
    organizationPath,
  });

  mount(listPushApps, async ({ caller }) => ({
    services: (await listServices(pool)).flatMap(({ service, enabled }) => (enabled ? [service] : [])),
    apps: await listApps(pool, caller.accountId),
  }));

  mount(registerPushApp, ({ caller, body }) =>
    transaction(pool, async (tx) => {
      const service = await findService(tx, body.service);
      if (!service?.enabled) throw new AppError('push_service.not_configured');
      const known = await lockApps(tx, caller.accountId);
      const isKnown = known.some(({ service: of, token }) => of === body.service && token === body.token);
      if (!isKnown && known.length >= MAX_PUSH_APPS)
        throw new AppError('push_app.too_many', { most: MAX_PUSH_APPS });
      const app = await saveApp(tx, caller.accountId, body, new Date(clock.now()));
      if (!isKnown) await audit.record(tx, caller, entry('create', app.id, app.name, caller.scope));
      return app;
    }),
  );

  mount(removePushApp, async ({ caller, params }) => {
    await transaction(pool, async (tx) => {
      const name = await deleteApp(tx, caller.accountId, params.id);
      if (name === null) throw new AppError('push_app.not_found');
      await audit.record(tx, caller, entry('delete', params.id, name, caller.scope));
    });
    return null;
  });

  mount(testPushApp, async ({ caller, params, language }) => {
    const apps = await listApps(pool, caller.accountId);
    const app = apps.find(({ id }) => id === params.id);
    if (!app) throw new AppError('push_app.not_found');
    if (!(await findService(pool, app.service))?.enabled) throw new AppError('push_service.not_configured');
    const outcome = await gateway.send(caller.accountId, testNotification(language, translate, clock.now()), {
      id: params.id,
    });
    return { outcome: outcome.kind, error: 'error' in outcome ? outcome.error : '' };
  });
}
