import {
  addFirmwareKey,
  changeRollout,
  createRollout,
  endFirmwareKey,
  getRollout,
  getRolloutOutlook,
  listFirmware,
  listFirmwareKeys,
  listRollouts,
  listUpgrades,
  uploadFirmware,
  withdrawFirmware,
} from '@isotherm/contracts/firmware';
import type pg from 'pg';
import type { Audit } from '../../../platform/audit/audit.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Mount } from '../../../platform/http/mount.ts';
import { createFirmwareService } from './firmware.service.ts';
import { createRolloutsService, endRolloutsOf } from './rollouts.service.ts';

/** Mounts the routes for firmware, its verification keys and its roll-outs. */
export function mountFirmware(
  mount: Mount,
  pool: pg.Pool,
  audit: Audit,
  clock: Clock,
  nudge: () => void,
): void {
  const firmware = createFirmwareService(pool, audit, clock, (tx, id) =>
    endRolloutsOf(tx, id, new Date(clock.now())),
  );
  const rollouts = createRolloutsService(pool, audit, clock, nudge);
  mount(listFirmware, ({ caller }) => firmware.list(caller));
  mount(uploadFirmware, ({ caller, body }) => firmware.upload(caller, body));
  mount(withdrawFirmware, ({ caller, params, body }) => firmware.withdraw(caller, params.id, body.reason));
  mount(listFirmwareKeys, ({ caller }) => firmware.keys(caller));
  mount(addFirmwareKey, ({ caller, body }) => firmware.addKey(caller, body));
  mount(endFirmwareKey, ({ caller, params, body }) => firmware.endKey(caller, params.id, body.reason));
  mount(getRolloutOutlook, ({ caller, body }) => rollouts.outlook(caller, body));
  mount(createRollout, ({ caller, body }) => rollouts.create(caller, body));
  mount(listRollouts, ({ caller, query }) => rollouts.list(caller, query));
  mount(getRollout, ({ caller, params }) => rollouts.get(caller, params.id));
  mount(listUpgrades, ({ caller, params, query }) => rollouts.devices(caller, params.id, query));
  mount(changeRollout, ({ caller, params, body }) => rollouts.change(caller, params.id, body));
}
