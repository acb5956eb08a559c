import { replayLinkInput, revokeSharedReplay, shareReplay } from '@isotherm/contracts/shared-replays';
import { DEFAULT_LINK_DAYS, LINK_DAYS } from '@isotherm/contracts/waybill-links';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { z } from 'zod';
import { call } from '../../../shared/api/client.ts';
import type { TimeRange } from '../../../shared/chart/curve-model.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { SelectField } from '../../../shared/ui/form/choice-fields.tsx';
import { FormDrawer } from '../../../shared/ui/form/form-drawer.tsx';
import { TextField } from '../../../shared/ui/form/text-fields.tsx';
import { OneTimeSecret } from '../../../shared/ui/one-time-secret.tsx';
import { useUrlState } from '../../../shared/ui/use-url-state.ts';
import { LinkPanel } from '../link-panel.tsx';
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
  const { data = [] } = useQuery(replayLinksQuery());

  const shows = (count: number, from: number | string, to: number | string) =>
    text('maps.share.shows', { count, from: time(from, 'date-time'), to: time(to, 'date-time') });
  return (
    <LinkPanel
      title={text('maps.share.links')}
      help={text('maps.share.links.help')}
      links={data}
      queryKey={REPLAY_LINKS_KEY}
      factsOf={({ assets, from, to }) => [shows(assets, from, to)]}
      revoke={(id) => call(revokeSharedReplay, { params: { id } })}
    >
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
            {shows(replay.assetIds.length, replay.range.from, replay.range.to)}
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
    </LinkPanel>
  );
}
