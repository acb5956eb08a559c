import './mappings.css';
import type { DeviceDetail } from '@isotherm/contracts/device-registry';
import { channelKey } from '@isotherm/contracts/ingest';
import type { UnmappedValues } from '@isotherm/contracts/payload-mappings';
import { indicatorOf } from '@isotherm/domain/readings/payload-mapping';
import { MINUS } from '@isotherm/i18n/figures';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { INDICATOR_LABEL } from '../../../shared/format/labels.ts';
import { EN_RULE } from '../../../shared/format/number.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { useText } from '../../../shared/i18n/use-text.ts';
import { FailureNotice, Notice } from '../../../shared/ui/notice.tsx';
import { PermissionButton } from '../../../shared/ui/permission-button.tsx';
import { TableFrame } from '../../../shared/ui/table-frame.tsx';
import { useNarrow } from '../../../shared/ui/use-narrow.ts';
import { suggestedChannel } from './entry-drafts.ts';
import { type MappingAddition, MappingForm } from './mapping-form.tsx';
import { mappingQuery, unmappedQuery } from './mappings.queries.ts';

/**
 * Tab with the values that a third-party device sent but no mapping covers, and with the action to map them.
 */
export function UnmappedTab({
  device: { number, sensors },
}: {
  device: Pick<DeviceDetail, 'number' | 'sensors'>;
}) {
  const { text } = useText();
  const { data, error, refetch } = useQuery(unmappedQuery(number));
  const [path, setPath] = useState<string | null>(null);
  const channels = useMemo(
    () =>
      new Set(
        sensors.flatMap(({ index, channels: own }) =>
          own.map(({ indicator }) => channelKey(indicator, index)),
        ),
      ),
    [sensors],
  );
  if (error && !data) return <FailureNotice error={error} retry={() => void refetch()} />;
  if (!data) return <div className="panel skeleton skeleton-body" />;
  return (
    <>
      <section className="panel device-tab">
        {data.values.length > 0 ? (
          <>
            <h2>{text('mappings.unmapped')}</h2>
            <p className="small secondary">{text('mappings.unmapped.help')}</p>
            <UnmappedNames unmapped={data} channels={channels} onMap={setPath} />
          </>
        ) : (
          <Notice icon="channels" title={text('mappings.unmapped.none')} />
        )}
      </section>
      {data.undecoded ? <Undecoded uplink={data.undecoded} /> : null}
      {path === null ? null : (
        <MappingOfDevice unmapped={data} addition={{ path, channels }} onClose={() => setPath(null)} />
      )}
    </>
  );
}

function UnmappedNames({
  unmapped: { values, mapping },
  channels,
  onMap,
}: {
  unmapped: UnmappedValues;
  channels: ReadonlySet<string>;
  onMap: (path: string) => void;
}) {
  const { text, time } = useViewer();
  const narrow = useNarrow();
  return (
    <TableFrame label={text('mappings.unmapped')}>
      <thead>
        <tr>
          <th scope="col">{text('mappings.path')}</th>
          <th scope="col" className="figure">
            {text('mappings.unmapped.value')}
          </th>
          {narrow ? null : (
            <>
              <th scope="col">{text('mappings.unmapped.suggestion')}</th>
              <th scope="col" className="figure">
                {text('mappings.unmapped.received')}
              </th>
            </>
          )}
          <th scope="col">
            <span className="visually-hidden">{text('mappings.unmapped.map')}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {values.map(({ path, value, receivedAt }) => {
          const channel = suggestedChannel(mapping.entries, path, channels);
          return (
            <tr key={path}>
              <td>
                <code className="mapping-name">{path}</code>
                {narrow ? (
                  <div className="small tertiary">{time(receivedAt, 'date-time-seconds')}</div>
                ) : null}
              </td>
              <td className="figure">
                <bdi dir="ltr">{String(value).replace('-', MINUS)}</bdi>
              </td>
              {narrow ? null : (
                <>
                  <td>
                    {channel ? (
                      <>
                        {text(INDICATOR_LABEL[indicatorOf(channel)])}{' '}
                        <code className="small tertiary">{channel}</code>
                      </>
                    ) : (
                      EN_RULE
                    )}
                  </td>
                  <td className="figure secondary">{time(receivedAt, 'date-time-seconds')}</td>
                </>
              )}
              <td className="figure">
                <PermissionButton
                  permission="device-mappings:edit"
                  size="small"
                  aria-label={text('mappings.unmapped.map-named', { path })}
                  onClick={() => onMap(path)}
                >
                  {text('mappings.unmapped.map')}
                </PermissionButton>
              </td>
            </tr>
          );
        })}
      </tbody>
    </TableFrame>
  );
}

function Undecoded({ uplink }: { uplink: NonNullable<UnmappedValues['undecoded']> }) {
  const { text, time } = useViewer();
  return (
    <section className="panel device-tab">
      <h2>{text('mappings.undecoded')}</h2>
      <p className="small secondary">{text('mappings.undecoded.help')}</p>
      <TableFrame label={text('mappings.undecoded')}>
        <thead>
          <tr>
            <th scope="col" className="figure">
              {text('mappings.undecoded.port')}
            </th>
            <th scope="col">{text('mappings.undecoded.payload')}</th>
            <th scope="col" className="figure">
              {text('mappings.unmapped.received')}
            </th>
          </tr>
        </thead>
        <tbody>
          <tr>
            <td className="figure">{uplink.port ?? EN_RULE}</td>
            <td>
              <code className="mapping-name">{uplink.payload.toUpperCase().replace(/..(?!$)/g, '$& ')}</code>
            </td>
            <td className="figure secondary">{time(uplink.receivedAt, 'date-time-seconds')}</td>
          </tr>
        </tbody>
      </TableFrame>
    </section>
  );
}

/**
 * Form with the mapping of the device model and one more entry, or with a new mapping that starts with the
 * entries that currently apply.
 */
function MappingOfDevice({
  unmapped: { mapping, organizationId, model },
  addition,
  onClose,
}: {
  unmapped: UnmappedValues;
  addition: MappingAddition;
  onClose: () => void;
}) {
  const { data: own } = useQuery({ ...mappingQuery(mapping.id ?? 0), enabled: mapping.id !== null });
  if (mapping.id !== null && !own) return null;
  const { entries, list } = mapping;
  return (
    <MappingForm
      mapping={own}
      start={{ organizationId, deviceModel: model, entries, list }}
      addition={addition}
      onClose={onClose}
    />
  );
}
