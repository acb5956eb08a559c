import {
  beginSecondFactor,
  changeTelephone,
  confirmSecondFactor,
  editAccount,
  endOtherSessions,
  endSecondFactor,
  getAccount,
  getTimeZone,
  listOwnSessions,
  renewRecoveryCodes,
  setLanguage,
  setPageSettings,
  setQuietHours,
  setTimeZone,
  uploadAvatar,
} from '@isotherm/contracts/account';
import { currentZones } from '@isotherm/contracts/time-zones';
import type { Clock } from '../../../platform/clock.ts';
import type { Mount } from '../../../platform/http/mount.ts';
import { offsetMinutes } from '../login/login.service.ts';
import type { Sessions } from '../login/sessions.ts';
import type { AccountService } from './account.service.ts';

export function mountAccount(mount: Mount, service: AccountService, sessions: Sessions, clock: Clock): void {
  mount(getAccount, ({ caller }) => service.get(caller));
  mount(editAccount, ({ caller, body }) => service.edit(caller, body));
  mount(uploadAvatar, ({ caller, body }) => service.setAvatar(caller, body.image));
  mount(changeTelephone, ({ caller, body }) => service.changeTelephone(caller, body));
  mount(getTimeZone, async ({ caller }) => ({
    code: (await service.get(caller)).timeZoneCode,
    zones: zonesAt(clock.now()),
  }));
  mount(setTimeZone, async ({ caller, body }) => {
    await service.setTimeZone(caller, body.code);
    return { code: body.code, offset: offsetMinutes(body.code, clock.now()) };
  });
  mount(setLanguage, async ({ caller, body }) => {
    await service.setLanguage(caller, body.language);
    return null;
  });
  mount(setQuietHours, async ({ caller, body }) => {
    await service.setQuietHours(caller, body.quietHours);
    return null;
  });
  mount(setPageSettings, async ({ caller, body }) => {
    await service.setPageSettings(caller, body);
    return null;
  });
  mount(listOwnSessions, ({ caller }) => sessions.list(caller.accountId, caller.sessionId));
  mount(endOtherSessions, ({ caller }) => service.endOtherSessions(caller));
  mount(beginSecondFactor, ({ caller, body }) => service.beginSecondFactor(caller, body));
  mount(confirmSecondFactor, ({ caller, body }) => service.confirmSecondFactor(caller, body.code));
  mount(endSecondFactor, ({ caller, body }) => service.endSecondFactor(caller, body));
  mount(renewRecoveryCodes, ({ caller, body }) => service.renewRecoveryCodes(caller, body));
}

const HOUR_MS = 3_600_000;
let zones: { at: number; list: { code: string; offset: number }[] } | null = null;

/**
 * Returns the time zones of this runtime from west to east. Formatting some 400 is slow, so the list is
 * cached for an hour.
 */
function zonesAt(now: number): { code: string; offset: number }[] {
  const at = Math.floor(now / HOUR_MS);
  if (zones?.at !== at) {
    const list = currentZones()
      .map((code) => ({ code, offset: offsetMinutes(code, now) }))
      .sort((a, b) => a.offset - b.offset || (a.code < b.code ? -1 : 1));
    zones = { at, list };
  }
  return zones.list;
}
