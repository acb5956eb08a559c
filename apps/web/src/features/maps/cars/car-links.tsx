import {
  type Car,
  carScreenInput,
  createCarScreen,
  DEFAULT_SCREEN_INTERVAL_S,
  revokeCarScreen,
  SCREEN_INTERVALS_S,
} from '@isotherm/contracts/car-screens';
import { DEFAULT_LINK_DAYS, LINK_DAYS } from '@isotherm/contracts/waybill-links';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { z } from 'zod';
import { call } from '../../../shared/api/client.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { Button } from '../../../shared/ui/button.tsx';
import { SelectField } from '../../../shared/ui/form/choice-fields.tsx';
import { FormDrawer } from '../../../shared/ui/form/form-drawer.tsx';
import { TextField } from '../../../shared/ui/form/text-fields.tsx';
import { OneTimeSecret } from '../../../shared/ui/one-time-secret.tsx';
import { useUrlState } from '../../../shared/ui/use-url-state.ts';
import { LinkPanel } from '../link-panel.tsx';
import { CAR_SCREENS_KEY, carScreensQuery } from './cars.queries.ts';

const FAULT_FIELDS = { 'asset.not_found': 'assetIds' };
const INITIAL: Partial<z.input<typeof carScreenInput>> = {
  assetIds: [],
  intervalS: DEFAULT_SCREEN_INTERVAL_S,
  days: DEFAULT_LINK_DAYS,
};

/** Address of a full screen. The token is in the fragment, which no server or proxy writes to its log. */
const addressOf = (token: string) => `${location.origin}/map/carmonitor/fullscreen#${token}`;

/** Public links to full screens: creates, lists and revokes them. */
export function CarLinks({ cars }: { cars: readonly Car[] }) {
  const { text } = useViewer();
  const client = useQueryClient();
  const [params, change] = useUrlState();
  const [address, setAddress] = useState<string | null>(null);
  const { data = [] } = useQuery(carScreensQuery());

  return (
    <LinkPanel
      title={text('maps.cars.links')}
      help={text('maps.cars.links.help')}
      action={<Button onClick={() => change({ new: 1 })}>{text('maps.cars.create')}</Button>}
      links={data}
      queryKey={CAR_SCREENS_KEY}
      factsOf={({ vehicles, intervalS }) => [
        vehicles === 0 ? text('maps.cars.assets.all') : text('maps.cars.assets.chosen', { count: vehicles }),
        text('maps.cars.interval.seconds', { count: intervalS }),
      ]}
      revoke={(id) => call(revokeCarScreen, { params: { id } })}
    >
      {params.get('new') === '1' ? (
        <FormDrawer
          title={text('maps.cars.link-made')}
          submitLabel={text('maps.cars.create')}
          schema={carScreenInput}
          initial={INITIAL}
          faultFields={FAULT_FIELDS}
          submit={async (values) => {
            const { token, screens } = await call(createCarScreen, { body: carScreenInput.parse(values) });
            client.setQueryData(CAR_SCREENS_KEY, screens);
            setAddress(addressOf(token));
          }}
          onClose={() => change({ new: null })}
        >
          <TextField name="name" label={text('maps.cars.link-name')} wide />
          <SelectField
            name="assetIds"
            label={text('maps.cars.assets')}
            help={text('maps.cars.assets.help')}
            multiple
            wide
            placeholder={text('maps.cars.assets.all')}
            options={cars.map(({ id, name }) => ({ value: id, label: name }))}
          />
          <SelectField
            name="intervalS"
            label={text('maps.cars.interval')}
            options={SCREEN_INTERVALS_S.map((count) => ({
              value: count,
              label: text('maps.cars.interval.seconds', { count }),
            }))}
          />
          <SelectField
            name="days"
            label={text('maps.cars.link-days')}
            options={LINK_DAYS.map((days) => ({ value: days, label: text('waybills.link.days', { days }) }))}
          />
        </FormDrawer>
      ) : null}
      {address ? (
        <OneTimeSecret title={text('maps.cars.link-made')} secret={address} onClose={() => setAddress(null)}>
          {text('maps.cars.link-made.means')}
        </OneTimeSecret>
      ) : null}
    </LinkPanel>
  );
}
