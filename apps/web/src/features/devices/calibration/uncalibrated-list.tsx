import { listUncalibratedSensors, type UncalibratedSensor } from '@isotherm/contracts/calibrations';
import { useMemo, useState } from 'react';
import { usePermission } from '../../../shared/access/permissions.ts';
import { EN_RULE } from '../../../shared/format/number.ts';
import { type Text, useText } from '../../../shared/i18n/use-text.ts';
import { Button } from '../../../shared/ui/button.tsx';
import { ListPage } from '../../../shared/ui/list/list-page.tsx';
import { pagesOf } from '../../../shared/ui/list/list-source.ts';
import type { ListColumn } from '../../../shared/ui/list/list-types.ts';
import { CalibrationForm, sensorName } from './calibration-form.tsx';
import { CALIBRATIONS_KEY } from './calibrations.queries.ts';

const source = pagesOf(listUncalibratedSensors);

function columnsFor(
  text: Text,
  record: ((sensor: UncalibratedSensor) => void) | null,
): ListColumn<UncalibratedSensor>[] {
  return [
    {
      key: 'deviceNumber',
      title: text('calibration.sensor'),
      sortable: true,
      pinned: true,
      maxWidth: 320,
      render: (sensor) => (
        <span>
          {sensorName(sensor, text)}
          <span className="small tertiary"> {sensor.serial}</span>
        </span>
      ),
    },
    {
      key: 'assetName',
      title: text('menu.asset'),
      sortable: true,
      maxWidth: 240,
      render: ({ assetName }) => <span className="secondary">{assetName ?? EN_RULE}</span>,
    },
    {
      key: 'organizationName',
      title: text('devices.organization'),
      maxWidth: 240,
      render: ({ organizationName }) => <span className="secondary">{organizationName}</span>,
    },
    ...(record
      ? [
          {
            key: 'record',
            title: text('calibration.certificate'),
            render: (sensor: UncalibratedSensor) => (
              <Button size="small" onClick={() => record(sensor)}>
                {text('calibration.create')}
              </Button>
            ),
          },
        ]
      : []),
  ];
}

/** List of the sensors without a certificate; a click on one creates its first certificate. */
export function UncalibratedList() {
  const { text } = useText();
  const mayEdit = usePermission('device-calibration:edit');
  const [sensor, setSensor] = useState<UncalibratedSensor | null>(null);
  const columns = useMemo(() => columnsFor(text, mayEdit ? setSensor : null), [text, mayEdit]);
  return (
    <>
      <ListPage
        embedded
        name="device-calibration-never"
        title={text('calibration.never')}
        purpose={text('calibration.purpose')}
        source={source}
        queryKey={[...CALIBRATIONS_KEY, 'never']}
        columns={columns}
        rowKey={({ id }) => id}
        rowName={(each) => sensorName(each, text)}
        searchLabel={text('calibration.never.search')}
        defaultSort={{ sort: 'deviceNumber', order: 'asc' }}
        {...(mayEdit ? { onOpen: setSensor } : {})}
        empty={{
          title: text('calibration.never.empty.title'),
          reason: text('calibration.never.empty.reason'),
        }}
      />
      {sensor ? (
        <CalibrationForm calibration={undefined} sensor={sensor} onClose={() => setSensor(null)} />
      ) : null}
    </>
  );
}
