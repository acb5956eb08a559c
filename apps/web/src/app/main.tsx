import '../shared/ui/tokens.gen.css';
import '../shared/ui/base.css';
import type { Site } from '@isotherm/contracts/settings';
import i18next from 'i18next';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { configureClient } from '../shared/api/client.ts';
import { loginPath } from '../shared/api/redirect.ts';
import { entryStepDue, readSession, setEntryDue } from '../shared/api/session.ts';
import { loadSite } from '../shared/api/site.ts';
import { currentLanguage, startLanguage } from '../shared/i18n/language.ts';
import { configureBaseMap } from '../shared/map/base-map.ts';
import { followSystemTheme } from '../shared/ui/theme.ts';
import { Toasts, toast } from '../shared/ui/toast.tsx';
import { type EntryName, entryOf } from './entry.ts';
import { retryStylesheets } from './stylesheets.ts';

/** Error messages for failures for which the server sent no message. */
const CLIENT_FAILURES = {
  network: 'common.failure.network',
  unreadable: 'common.failure.unreadable',
  'time-out': 'common.failure.time-out',
} as const;

const WITH_ALL_WORDS: ReadonlySet<EntryName> = new Set(['console', 'api-tool', 'link']);

const PAGES = {
  login: async (site: Site) => {
    const { LoginPage } = await import('./login-page.tsx');
    return <LoginPage site={site} />;
  },
  console: async (site: Site) => {
    const { Console } = await import('./console.tsx');
    return <Console site={site} />;
  },
  setup: async (site: Site) => {
    const { SetupPage } = await import('./setup-page.tsx');
    return <SetupPage site={site} />;
  },
  register: async (site: Site) => {
    const { RegisterPage } = await import('./register-page.tsx');
    return <RegisterPage site={site} />;
  },
  registered: async (site: Site) => {
    const { RegisteredPage } = await import('./register-page.tsx');
    return <RegisteredPage site={site} />;
  },
  'app-download': async (site: Site) => {
    const { AppDownloadPage } = await import('./app-download-page.tsx');
    return <AppDownloadPage site={site} />;
  },
  'api-tool': async (site: Site) => {
    const { ApiToolPage } = await import('./apitool/api-tool-page.tsx');
    return <ApiToolPage site={site} />;
  },
  link: async (site: Site) => {
    const { LinkPage } = await import('./link-page.tsx');
    return <LinkPage site={site} />;
  },
  'not-found': async () => {
    const { NotFoundPage } = await import('./pages/not-found-page.tsx');
    return <NotFoundPage />;
  },
};

function here(): string {
  return location.pathname + location.search + location.hash;
}

/**
 * Login and console are separate programs with shared modules. Without a session only the login is loaded.
 * Moving between them is a full page load, which clears the data of the earlier session from memory.
 */
async function start(): Promise<void> {
  retryStylesheets();
  followSystemTheme();
  const site = await loadSite();
  const entry = entryOf(
    location,
    { exists: readSession() !== null, stepDue: entryStepDue() !== null },
    { offersApp: site.showAppDownload && site.appDownloadUrl !== '' },
  );
  if ('goTo' in entry) {
    location.replace(entry.goTo);
    return;
  }
  await startLanguage(undefined, WITH_ALL_WORDS.has(entry.show) ? 'console' : 'entry');
  document.title = site.pageTitle;
  configureBaseMap(site.map);
  const toLogin = () => location.replace(loginPath(here()));
  configureClient({
    salt: site.salt,
    language: currentLanguage,
    describe: (failure) => i18next.t(CLIENT_FAILURES[failure]),
    onFailure: (error) => toast('failure', error.message),
    onSessionOver: toLogin,
    onEntryDue: (step) => {
      setEntryDue(step, true);
      toLogin();
    },
  });

  const root = createRoot(document.getElementById('root') as HTMLElement);
  const page = await PAGES[entry.show](site);
  root.render(
    <StrictMode>
      {page}
      <Toasts />
    </StrictMode>,
  );
}

void start();
