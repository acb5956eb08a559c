import {
  changePassword,
  createSocketTicket,
  getProfile,
  getPublicKey,
  getPuzzle,
  login,
  logout,
  refreshToken,
} from '@isotherm/contracts/identity';
import type { Mount } from '../../platform/http/mount.ts';
import type { IdentityService } from './identity.service.ts';
import type { Passwords } from './passwords.ts';
import type { Puzzles } from './puzzle.ts';
import type { Sessions } from './sessions.ts';

export interface IdentityParts {
  service: IdentityService;
  passwords: Passwords;
  puzzles: Puzzles;
  sessions: Sessions;
}

export function mountIdentity(mount: Mount, { service, passwords, puzzles, sessions }: IdentityParts): void {
  mount(getPublicKey, () => {
    const offer = passwords.offer();
    return { ...offer, expiresAt: new Date(offer.expiresAt).toISOString() };
  });
  mount(getPuzzle, ({ address }) => puzzles.create(address));
  mount(login, ({ body, address }) => service.login(body, address));
  mount(getProfile, ({ caller }) => service.profile(caller));
  mount(refreshToken, ({ caller }) => service.refresh(caller));
  mount(changePassword, ({ caller, body }) => service.changePassword(caller, body));
  mount(createSocketTicket, ({ caller }) => ({ ticket: sessions.createTicket(caller.sessionId) }));
  mount(logout, async ({ caller }) => {
    await sessions.close(caller.sessionId, caller.username);
    return null;
  });
}
