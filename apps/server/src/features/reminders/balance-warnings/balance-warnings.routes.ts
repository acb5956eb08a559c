import {
  createBalanceWarning,
  deleteBalanceWarning,
  editBalanceWarning,
  listBalanceWarnings,
} from '@isotherm/contracts/balance-warnings';
import type { Mount } from '../../../platform/http/mount.ts';
import type { BalanceWarningsService } from './balance-warnings.service.ts';

export function mountBalanceWarnings(mount: Mount, service: BalanceWarningsService): void {
  mount(listBalanceWarnings, ({ caller, query }) => service.list(caller, query));
  mount(createBalanceWarning, ({ caller, body }) => service.create(caller, body));
  mount(editBalanceWarning, ({ caller, params, body }) => service.edit(caller, params.id, body));
  mount(deleteBalanceWarning, ({ caller, params, body }) => service.remove(caller, params.id, body.reason));
}
