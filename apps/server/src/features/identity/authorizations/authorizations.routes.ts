import {
  createAuthorization,
  listAuthorizations,
  redeemAuthorization,
  renewAuthorization,
  revokeAuthorization,
  whoAmI,
} from '@isotherm/contracts/authorizations';
import type { Mount } from '../../../platform/http/mount.ts';
import type { AuthorizationsService } from './authorizations.service.ts';

export function mountAuthorizations(mount: Mount, service: AuthorizationsService): void {
  mount(listAuthorizations, ({ caller, query }) => service.list(caller, query));
  mount(createAuthorization, ({ caller, body }) => service.create(caller, body));
  mount(renewAuthorization, ({ caller, params }) => service.renew(caller, params.id));
  mount(revokeAuthorization, ({ caller, params, body }) => service.revoke(caller, params.id, body.reason));
  mount(redeemAuthorization, ({ body, address }) => service.redeem(body.code, address));
  mount(whoAmI, ({ caller }) => ({
    kind: caller.accountId === null ? ('machine' as const) : ('person' as const),
    name: caller.username,
    organizationId: caller.organizationId,
    permissions: [...caller.permissions].sort(),
  }));
}
