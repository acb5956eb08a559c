import type { Site } from '@isotherm/contracts/settings';
import ConfigProvider from 'antd/es/config-provider';
import { type ReactNode, useMemo } from 'react';
import { AlarmLink } from '../features/alarms/links/alarm-link.tsx';
import { ReportCheck } from '../features/reports/report-check.tsx';
import { ShipmentPage } from '../features/waybills/links/shipment-page.tsx';
import { antdTheme } from '../shared/ui/antd-theme.ts';
import { styleNonce } from '../shared/ui/style-nonce.ts';
import { useTheme } from '../shared/ui/theme.ts';
import { EntryFrame } from './entry-frame.tsx';

const [, PREFIX, FIRST = '', SECOND = ''] = location.pathname.split('/');

/**
 * Pages of public links, without login (decision 28): `/link/<token>` of alarms, `/link/shipment/<token>` and
 * `/verify/<token>`.
 */
export function LinkPage({ site }: { site: Site }) {
  return (
    <Styled>
      <EntryFrame site={site}>
        <Linked />
      </EntryFrame>
    </Styled>
  );
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
