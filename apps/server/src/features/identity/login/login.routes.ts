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
import type { Mount } from '../../../platform/http/mount.ts';
import type { LoginService } from './login.service.ts';
import type { Passwords } from './passwords.ts';
import type { Puzzles } from './puzzle.ts';
import type { Sessions } from './sessions.ts';

export interface LoginRoutes {
  service: LoginService;
  passwords: Passwords;
  puzzles: Puzzles;
  sessions: Sessions;
}

export function mountLogin(mount: Mount, { service, passwords, puzzles, sessions }: LoginRoutes): void {
  mount(getPublicKey, () => {
    const offer = passwords.offer();
    return { ...offer, expiresAt: new Date(offer.expiresAt).toISOString() };
  });
  mount(getPuzzle, ({ address }) => puzzles.create(address));
  mount(login, ({ body, address, client }) => service.login(body, { address, client }));
  mount(getProfile, ({ caller }) => service.profile(caller));
  mount(refreshToken, ({ caller, client }) => service.refresh(caller, { address: caller.address, client }));
  mount(changePassword, ({ caller, body, client }) =>
    service.changePassword(caller, body, { address: caller.address, client }),
  );
  mount(createSocketTicket, ({ caller }) => ({ ticket: sessions.createTicket(caller.sessionId) }));
  mount(logout, ({ caller }) => service.logout(caller));
}
