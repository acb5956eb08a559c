import type { Site } from '@isotherm/contracts/settings';
import ConfigProvider from 'antd/es/config-provider';
import { useMemo } from 'react';
import { AlarmLink } from '../features/alarms/links/alarm-link.tsx';
import { antdTheme } from '../shared/ui/antd-theme.ts';
import { styleNonce } from '../shared/ui/style-nonce.ts';
import { useTheme } from '../shared/ui/theme.ts';
import { EntryFrame } from './entry-frame.tsx';

const TOKEN = location.pathname.slice('/link/'.length);

/** Page of a public link, without login (decision 28). */
export function LinkPage({ site }: { site: Site }) {
  const theme = useTheme();
  const look = useMemo(() => antdTheme(theme), [theme]);
  return (
    <ConfigProvider theme={look} {...(styleNonce ? { csp: { nonce: styleNonce } } : {})}>
      <EntryFrame site={site}>
        <AlarmLink token={TOKEN} />
      </EntryFrame>
    </ConfigProvider>
  );
}
