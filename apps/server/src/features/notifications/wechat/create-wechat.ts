import type { Translate } from '@isotherm/i18n/translator';
import type { FastifyInstance } from 'fastify';
import type pg from 'pg';
import type { Audit } from '../../../platform/audit/audit.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Mount } from '../../../platform/http/mount.ts';
import type { Job } from '../../../platform/jobs/jobs.ts';
import type { Logger } from '../../../platform/log.ts';
import type { Outgoing } from '../../../platform/outgoing/outgoing.ts';
import type { Sealing } from '../../../platform/sealing.ts';
import { deleteExpired } from './wechat.repo.ts';
import { mountWechat } from './wechat.routes.ts';
import { createWechatService } from './wechat.service.ts';
import { createWechatClient } from './wechat-client.ts';
import { mountWechatDoor } from './wechat-door.ts';
import { createWechatGateway, type WechatGateway } from './wechat-gateway.ts';

export interface Wechat {
  gateway: WechatGateway;
  /** With `callbacks`, also the address that WeChat calls. */
  mount(mount: Mount, callbacks: FastifyInstance | null): void;
  jobs: readonly Job[];
}

/** WeChat: the official account of the installation, the people who are bound, and the gateway that sends to them. */
export function createWechat(parts: {
  pool: pg.Pool;
  /** Pool for messages, which must not wait for people's requests. */
  devicePool: pg.Pool;
  audit: Pick<Audit, 'record' | 'recordAlone'>;
  sealing: Pick<Sealing, 'seal' | 'open'>;
  outgoing: Pick<Outgoing, 'ask'>;
  clock: Clock;
  translate: Translate;
  log: Logger;
  /** Address of this server; null if it is not known. */
  origin: string | null;
}): Wechat {
  const { pool, devicePool, clock } = parts;
  const client = createWechatClient({ ...parts, pool: devicePool });
  const gateway = createWechatGateway(devicePool, client);
  return {
    gateway,
    mount(mount, callbacks) {
      const service = createWechatService({ ...parts, client, gateway });
      mountWechat(mount, service);
      if (callbacks) mountWechatDoor(callbacks, { ...parts, onEvent: service.take });
    },
    jobs: [
      {
        name: 'forget-wechat-codes',
        cron: '50 3 * * *',
        run: () => deleteExpired(pool, new Date(clock.now())),
      },
    ],
  };
}
