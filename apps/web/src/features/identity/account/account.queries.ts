import {
  beginSecondFactor,
  changeTelephone,
  confirmSecondFactor,
  editAccount,
  endOtherSessions,
  endSecondFactor,
  getAccount,
  listOwnSessions,
  renewRecoveryCodes,
  setLanguage,
  setPageSettings,
  setQuietHours,
  setTimeZone,
  uploadAvatar,
} from '@isotherm/contracts/account';
import type { BodyOf } from '@isotherm/contracts/route';
import { sendCodeToNewPhone } from '@isotherm/contracts/verification';
import { queryOptions, useQueryClient } from '@tanstack/react-query';
import { call } from '../../../shared/api/client.ts';
import { writeCookie } from '../../../shared/api/cookies.ts';
import { encryptPasswords } from '../../../shared/signature/encrypt-password.ts';
import { profileQuery } from '../identity.queries.ts';

const ACCOUNT_KEY = ['identity', 'account'] as const;

export const accountQuery = queryOptions({
  queryKey: [...ACCOUNT_KEY, 'own'],
  queryFn: ({ signal }) => call(getAccount, { signal, quiet: true }),
});

export const ownSessionsQuery = queryOptions({
  queryKey: [...ACCOUNT_KEY, 'sessions'],
  queryFn: ({ signal }) => call(listOwnSessions, { signal, quiet: true }),
});

export async function sendPhoneCode(oldPhone: string, newPhone: string): Promise<number> {
  const { resendAfter } = await call(sendCodeToNewPhone, { body: { oldPhone, newPhone }, quiet: true });
  return resendAfter;
}

/** Mutations of the user's own account. The caller shows failures. */
export function useAccountChanges() {
  const queries = useQueryClient();
  const after = async <T>(answer: Promise<T>): Promise<T> => {
    const done = await answer;
    // The header also shows name and avatar, so its data is reloaded too.
    await Promise.all([
      queries.invalidateQueries({ queryKey: ACCOUNT_KEY }),
      queries.invalidateQueries({ queryKey: profileQuery.queryKey }),
    ]);
    return done;
  };
  const withPassword = async <T>(
    password: string,
    run: (body: { password: string; serviceloginkey: string }) => Promise<T>,
  ): Promise<T> => {
    const { ciphers, nonce } = await encryptPasswords(password);
    return after(run({ password: ciphers[0] ?? '', serviceloginkey: nonce }));
  };
  return {
    edit: (body: BodyOf<typeof editAccount>) => after(call(editAccount, { body, quiet: true })),
    setAvatar: (image: Blob) => after(call(uploadAvatar, { body: { image }, quiet: true })),
    changePhone: (body: BodyOf<typeof changeTelephone>) =>
      after(call(changeTelephone, { body, quiet: true })),
    setZone: async (code: string) => {
      const answer = await after(call(setTimeZone, { body: { code }, quiet: true }));
      writeCookie('timeZone', answer.code);
    },
    setLanguage: (language: BodyOf<typeof setLanguage>['language']) =>
      after(call(setLanguage, { body: { language }, quiet: true })),
    setQuietHours: (body: BodyOf<typeof setQuietHours>) => after(call(setQuietHours, { body, quiet: true })),
    setPageSettings: (body: BodyOf<typeof setPageSettings>) =>
      after(call(setPageSettings, { body, quiet: true })),
    endOtherSessions: () => after(call(endOtherSessions, { quiet: true })),
    beginSecondFactor: (password: string) =>
      withPassword(password, (body) => call(beginSecondFactor, { body, quiet: true })),
    confirmSecondFactor: (code: string) => after(call(confirmSecondFactor, { body: { code }, quiet: true })),
    endSecondFactor: (password: string) =>
      withPassword(password, (body) => call(endSecondFactor, { body, quiet: true })),
    renewRecoveryCodes: (password: string) =>
      withPassword(password, (body) => call(renewRecoveryCodes, { body, quiet: true })),
  };
}
