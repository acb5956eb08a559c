import '../maps.css';
import {
  replayLinkInput,
  revokeSharedReplay,
  type SharedReplay,
  shareReplay,
} from '@isotherm/contracts/shared-replays';
import { DEFAULT_LINK_DAYS, LINK_DAYS } from '@isotherm/contracts/waybill-links';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { z } from 'zod';
import { call } from '../../../shared/api/client.ts';
import type { TimeRange } from '../../../shared/chart/curve-model.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { Button } from '../../../shared/ui/button.tsx';
import { SelectField } from '../../../shared/ui/form/choice-fields.tsx';
import { FormDrawer } from '../../../shared/ui/form/form-drawer.tsx';
import { TextField } from '../../../shared/ui/form/text-fields.tsx';
import { OneTimeSecret } from '../../../shared/ui/one-time-secret.tsx';
import { toast } from '../../../shared/ui/toast.tsx';
import { useUrlState } from '../../../shared/ui/use-url-state.ts';
import type { ReplayView } from '../replay-player.tsx';
import { REPLAY_LINKS_KEY, replayLinksQuery } from './replay-links.queries.ts';

const FAULT_FIELDS = {
  'asset.not_found': 'name',
  'channel.not_found': 'name',
  'curve.range': 'name',
  'map.many_replays': 'name',
};
const INITIAL: Partial<z.input<typeof replayLinkInput>> = { days: DEFAULT_LINK_DAYS };

/** Address of a replay. The token is in the fragment, which no server or proxy writes to its log. */
const addressOf = (token: string) => `${location.origin}/map/replay/shared#${token}`;

/** Public links to replays: lists and revokes them, and creates one for the replay that is shown. */
export function ReplayLinks({
  replay,
  channelsOf,
}: {
  /** What the page shows; null: nothing yet. */
  replay: { assetIds: readonly number[]; range: TimeRange; view: ReplayView } | null;
  /** The channels that the chart of an asset shows. */
  channelsOf: (assetId: number) => Promise<number[]>;
}) {
  const { text, time } = useViewer();
  const client = useQueryClient();
  const [params, change] = useUrlState();
  const [address, setAddress] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const { data = [] } = useQuery(replayLinksQuery());

  async function revoke(id: number) {
    setBusy(true);
    try {
      client.setQueryData(REPLAY_LINKS_KEY, await call(revokeSharedReplay, { params: { id } }));
      toast('success', text('maps.cars.revoked'));
    } catch {
      // The failure is shown as a toast; somebody else may have revoked it.
      await client.invalidateQueries({ queryKey: REPLAY_LINKS_KEY });
    }
    setBusy(false);
  }
  return (
    <section className="panel maps-links" aria-label={text('maps.share.links')}>
      <h2>{text('maps.share.links')}</h2>
      <p className="small secondary">{text('maps.share.links.help')}</p>
      {data.length === 0 ? <p className="secondary">{text('maps.cars.links.none')}</p> : null}
      <ul className="maps-link-list">
        {data.map((each) => (
          <ReplayLink key={each.id} replay={each} isBusy={isBusy} revoke={() => void revoke(each.id)} />
        ))}
      </ul>
      {replay && params.get('share') === '1' ? (
        <FormDrawer
          title={text('maps.share')}
          submitLabel={text('maps.cars.create')}
          schema={replayLinkInput}
          initial={INITIAL}
          faultFields={FAULT_FIELDS}
          submit={async (values) => {
            const { assetIds, range, view } = replay;
            const { token, replays } = await call(shareReplay, {
              body: {
                ...replayLinkInput.parse(values),
                assetIds: [...assetIds],
                channelIds: await channelsOf(assetIds[0] as number),
                from: new Date(range.from).toISOString(),
                to: new Date(range.to).toISOString(),
                ...view,
              },
            });
            client.setQueryData(REPLAY_LINKS_KEY, replays);
            setAddress(addressOf(token));
          }}
          onClose={() => change({ share: null })}
        >
          <p className="secondary maps-share-range">
            {text('maps.share.shows', {
              count: replay.assetIds.length,
              from: time(replay.range.from, 'date-time'),
              to: time(replay.range.to, 'date-time'),
            })}
          </p>
          <TextField name="name" label={text('maps.cars.link-name')} wide />
          <SelectField
            name="days"
            label={text('maps.cars.link-days')}
            options={LINK_DAYS.map((days) => ({ value: days, label: text('waybills.link.days', { days }) }))}
          />
        </FormDrawer>
      ) : null}
      {address ? (
        <OneTimeSecret title={text('maps.cars.link-made')} secret={address} onClose={() => setAddress(null)}>
          {text('maps.share.made.means')}
        </OneTimeSecret>
      ) : null}
    </section>
  );
}

function ReplayLink({
  replay,
  isBusy,
  revoke,
}: {
  replay: SharedReplay;
  isBusy: boolean;
  revoke: () => void;
}) {
  const { text, time } = useViewer();
  const facts = [
    text('maps.share.shows', {
      count: replay.assets,
      from: time(replay.from, 'date-time'),
      to: time(replay.to, 'date-time'),
    }),
    text('maps.cars.links.until', { time: time(replay.expiresAt, 'day-time') }),
    replay.lastOpenedAt === null
      ? text('maps.cars.links.never-opened')
      : text('maps.cars.links.opened', { time: time(replay.lastOpenedAt, 'day-time') }),
  ];
  return (
    <li>
      <div>
        <div className="strong">{replay.name}</div>
        <div className="small secondary">{facts.join(' · ')}</div>
      </div>
      <Button
        size="small"
        aria-label={text('maps.cars.revoke.of', { name: replay.name })}
        disabled={isBusy}
        onClick={revoke}
      >
        {text('maps.cars.revoke')}
      </Button>
    </li>
  );
}
