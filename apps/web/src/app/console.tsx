import type { Site } from '@isotherm/contracts/settings';
import { isTimeZone } from '@isotherm/contracts/time-zones';
import type { Language } from '@isotherm/i18n/languages';
import { QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query';
import ConfigProvider from 'antd/es/config-provider';
import type { Locale } from 'antd/es/locale';
import defaultLocale from 'antd/es/locale/en_US';
import { useEffect, useMemo, useRef, useState } from 'react';
import { RouterProvider } from 'react-router';
import { logOut, profileQuery } from '../features/identity/identity.queries.ts';
import { routerInfoQuery } from '../features/settings/settings.queries.ts';
import { isRefusal } from '../shared/api/api-error.ts';
import { setPickerZone } from '../shared/format/picker-zone.ts';
import { browserZone } from '../shared/format/time.ts';
import { ZoneContext } from '../shared/format/viewer.tsx';
import { useText } from '../shared/i18n/use-text.ts';
import { say } from '../shared/socket/socket.ts';
import { antdTheme } from '../shared/ui/antd-theme.ts';
import { PageRefreshContext } from '../shared/ui/list/page-refresh.ts';
import { FailureNotice } from '../shared/ui/notice.tsx';
import { styleNonce as nonce } from '../shared/ui/style-nonce.ts';
import { useTheme } from '../shared/ui/theme.ts';
import { loadPartsLocale } from './parts-locale.ts';
import { routerFor } from './router.tsx';
import { ProfileFailure } from './shell/profile-failure.tsx';
import { ShellSkeleton } from './shell/shell-skeleton.tsx';
import { SiteContext } from './site-context.ts';

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      refetchOnWindowFocus: true,
      retry: (failures, error) => failures < 1 && !isRefusal(error),
      staleTime: 5000,
    },
  },
});

/** Root component of the console after login. */
export function Console({ site }: { site: Site }) {
  const theme = useTheme();
  const { language } = useText();
  const locale = usePartsLocale(language);
  useAnswersIn(language);
  const look = useMemo(() => antdTheme(theme), [theme]);
  return (
    <QueryClientProvider client={queries}>
      <ConfigProvider
        theme={look}
        componentSize="middle"
        locale={locale}
        {...(nonce ? { csp: { nonce } } : {})}
      >
        <SiteContext value={site}>
          <SignedIn />
        </SiteContext>
      </ConfigProvider>
    </QueryClientProvider>
  );
}

/** Reloads all data when the language changes, because the server translates system names and alarms. */
function useAnswersIn(language: Language): void {
  const answered = useRef(language);
  useEffect(() => {
    if (answered.current === language) return;
    answered.current = language;
    say({ type: 'language', language });
    void queries.invalidateQueries();
  }, [language]);
}

/**
 * Returns the locale of the antd components. It is never null: otherwise antd would mount everything below
 * it again when the locale arrives.
 */
function usePartsLocale(language: Language): Locale {
  const [locale, setLocale] = useState<Locale>(defaultLocale);
  useEffect(() => {
    let wanted = true;
    void loadPartsLocale(language).then((loaded) => wanted && setLocale(loaded));
    return () => {
      wanted = false;
    };
  }, [language]);
  return locale;
}

const leave = () => void logOut(location.pathname + location.search);

function SignedIn() {
  const profile = useQuery(profileQuery);
  const menu = useQuery(routerInfoQuery);
  const router = useMemo(() => (menu.data ? routerFor(menu.data, queries) : null), [menu.data]);
  const { text } = useText();
  const retry = () => {
    void profile.refetch();
    void menu.refetch();
  };
  if (profile.error) return <ProfileFailure error={profile.error} retry={retry} leave={leave} />;
  if (menu.error)
    return <FailureNotice title={text('shell.failure.routes')} error={menu.error} retry={retry} />;
  if (!profile.data || !router) return <ShellSkeleton />;
  const zone = isTimeZone(profile.data.timeZoneCode) ? profile.data.timeZoneCode : browserZone();
  // The date pickers cannot read React context, so the zone for *now* and *today* is set here.
  setPickerZone(zone);
  return (
    <ZoneContext value={zone}>
      <PageRefreshContext value={profile.data.pageRefreshInterval * 1_000 || false}>
        <RouterProvider router={router} />
      </PageRefreshContext>
    </ZoneContext>
  );
}
