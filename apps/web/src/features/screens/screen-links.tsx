import { revokeScreenLink, type Screen } from '@isotherm/contracts/screens';
import { DEFAULT_LINK_DAYS, LINK_DAYS } from '@isotherm/contracts/waybill-links';
import Select from 'antd/es/select';
import { useState } from 'react';
import { call } from '../../shared/api/client.ts';
import { useRefreshing } from '../../shared/api/crud-changes.ts';
import { useViewer } from '../../shared/format/viewer.tsx';
import { Button } from '../../shared/ui/button.tsx';
import { OneTimeSecret } from '../../shared/ui/one-time-secret.tsx';
import { toast } from '../../shared/ui/toast.tsx';
import { SCREENS_KEY, useScreenChanges } from './screens.queries.ts';

const KEYS = [SCREENS_KEY];

/** Address of a screen. The token is in the fragment, which no server or proxy writes to its log. */
const addressOf = (token: string) => `${location.origin}/screen/kiosk#${token}`;

/** Public links to a screen: creates, lists and revokes them. */
export function ScreenLinks({ screen, isActive }: { screen: Screen; isActive: boolean }) {
  const { text, time } = useViewer();
  const changes = useScreenChanges();
  const refresh = useRefreshing(KEYS);
  const [days, setDays] = useState<(typeof LINK_DAYS)[number]>(DEFAULT_LINK_DAYS);
  const [address, setAddress] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  async function act(work: () => Promise<unknown>) {
    setBusy(true);
    try {
      await work();
    } catch (error) {
      toast('failure', (error as Error).message);
    } finally {
      setBusy(false);
    }
  }
  return (
    <section className="panel screen-panel" aria-label={text('screens.links')}>
      <h2>{text('screens.links')}</h2>
      <p className="small secondary">{text('screens.links.help')}</p>
      <div className="screen-field-row">
        <Select
          aria-label={text('screens.link-days')}
          value={days}
          onChange={setDays}
          options={LINK_DAYS.map((each) => ({
            value: each,
            label: text('waybills.link.days', { days: each }),
          }))}
        />
        <Button
          disabled={isBusy || !isActive}
          onClick={() =>
            void act(async () => setAddress(addressOf((await changes.share(screen.id, { days })).token)))
          }
        >
          {text('screens.links.create')}
        </Button>
      </div>
      {screen.links.length === 0 ? <p className="secondary">{text('screens.links.none')}</p> : null}
      <ul className="screen-link-list">
        {screen.links.map((link) => (
          <li key={link.id} className="screen-link">
            <span className="small">
              {text('screens.links.until', { time: time(link.expiresAt, 'day-time') })}
              {' · '}
              {link.lastOpenedAt === null
                ? text('screens.links.never-opened')
                : text('screens.links.opened', { time: time(link.lastOpenedAt, 'day-time') })}
            </span>
            <Button
              size="small"
              disabled={isBusy}
              onClick={() =>
                void act(async () => {
                  await refresh(
                    call(revokeScreenLink, { params: { id: screen.id, linkId: link.id }, quiet: true }),
                  );
                  toast('success', text('screens.links.revoked'));
                })
              }
            >
              {text('screens.links.revoke')}
            </Button>
          </li>
        ))}
      </ul>
      {address ? (
        <OneTimeSecret title={text('screens.links.made')} secret={address} onClose={() => setAddress(null)}>
          {text('screens.links.made.means')}
        </OneTimeSecret>
      ) : null}
    </section>
  );
}
