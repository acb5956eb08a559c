import type { Site } from '@isotherm/contracts/settings';
import ConfigProvider from 'antd/es/config-provider';
import { lazy, type ReactNode, Suspense, useMemo, useSyncExternalStore } from 'react';
import { AlarmLink } from '../features/alarms/links/alarm-link.tsx';
import { CarScreenPage } from '../features/maps/cars/car-screen.tsx';
import { ReportCheck } from '../features/reports/report-check.tsx';
import { ScreenLinkPage } from '../features/screens/screen-link-page.tsx';
import { ShipmentPage } from '../features/waybills/links/shipment-page.tsx';
import { stateTitle } from '../shared/assets/asset-words.ts';
import { useText } from '../shared/i18n/use-text.ts';
import { antdTheme } from '../shared/ui/antd-theme.ts';
import { styleNonce } from '../shared/ui/style-nonce.ts';
import { useTheme } from '../shared/ui/theme.ts';
import { EntryFrame } from './entry-frame.tsx';

const SharedReplay = lazy(() => import('./shared-replay.tsx'));

const [, PREFIX, FIRST = '', SECOND = ''] = location.pathname.split('/');

/**
 * Pages of public links, without login (decision 28): `/link/<token>` of alarms, `/link/shipment/<token>` and
 * `/verify/<token>`; and `/map/carmonitor/fullscreen#<token>`, `/map/replay/shared#<token>` and `/screen/kiosk#<token>`.
 */
export function LinkPage({ site }: { site: Site }) {
  return (
    <Styled>
      {PREFIX === 'map' || PREFIX === 'screen' ? (
        <Display />
      ) : (
        <EntryFrame site={site}>
          <Linked />
        </EntryFrame>
      )}
    </Styled>
  );
}

/** The token is in the fragment of the address, so that another link can be entered without a load. */
function Display() {
  const { text } = useText();
  const token = useSyncExternalStore(onHashChange, () => location.hash.slice(1));
  if (PREFIX === 'screen') return <ScreenLinkPage key={token} token={token} />;
  if (FIRST === 'replay')
    return (
      <Suspense fallback={<div className="skeleton skeleton-body" />}>
        <SharedReplay key={token} token={token} />
      </Suspense>
    );
  return (
    <CarScreenPage
      key={token}
      token={token}
      stateText={(state) => stateTitle({ state, cause: null }, text)}
    />
  );
}

function onHashChange(changed: () => void): () => void {
  addEventListener('hashchange', changed);
  return () => removeEventListener('hashchange', changed);
}

function Linked() {
  if (PREFIX === 'verify') return <ReportCheck token={FIRST} />;
  return FIRST === 'shipment' ? <ShipmentPage token={SECOND} /> : <AlarmLink token={FIRST} />;
}

function Styled({ children }: { children: ReactNode }) {
  const theme = useTheme();
  const look = useMemo(() => antdTheme(theme), [theme]);
  return (
    <ConfigProvider theme={look} {...(styleNonce ? { csp: { nonce: styleNonce } } : {})}>
      {children}
    </ConfigProvider>
  );
}
