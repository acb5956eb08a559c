import './registry.css';
import type { DeviceDetail } from '@isotherm/contracts/device-registry';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import { Link } from 'react-router';
import { usePermission } from '../../../shared/access/permissions.ts';
import { AssetLink } from '../../../shared/assets/asset-link.tsx';
import { offsetText } from '../../../shared/format/clock-offset.ts';
import { formatSetting } from '../../../shared/format/duration.ts';
import { EN_RULE } from '../../../shared/format/number.ts';
import { Age, useViewer } from '../../../shared/format/viewer.tsx';
import { CommandState, orderWords } from '../commands/command-words.tsx';
import { deviceCommandsQuery } from '../commands/commands.queries.ts';
import { deviceBindingsQuery, deviceClockQuery } from './registry.queries.ts';

/** Number of newest entries that are shown of each list. */
const NEWEST = 3;

/** Overview of a device: transmission, clock, newest commands and bindings, each with a link to its tab. */
export function DeviceGlance({ device }: { device: DeviceDetail }) {
  const seesCommands = usePermission('device-commands:view');
  return (
    <div className="device-glance">
      <Transmission device={device} />
      <Places number={device.number} />
      {seesCommands ? <Commands number={device.number} /> : null}
    </div>
  );
}

function Transmission({ device }: { device: DeviceDetail }) {
  const { text } = useViewer();
  const { data: clock } = useQuery(deviceClockQuery(device.number));
  return (
    <Block title={text('devices.section.periods')} more="overview">
      <Row label={text('devices.acquisition')}>{formatSetting(device.acquisitionIntervalS * 1000, text)}</Row>
      <Row label={text('devices.upload')}>{formatSetting(device.uploadIntervalS * 1000, text)}</Row>
      <Row label={text('devices.clock')}>{clock ? offsetText(clock.offsetMs, text) : EN_RULE}</Row>
      <Row label={text('devices.firmware')}>{device.firmware.version ?? EN_RULE}</Row>
    </Block>
  );
}

function Places({ number }: { number: string }) {
  const { text, time } = useViewer();
  const { data } = useQuery(deviceBindingsQuery(number));
  /** Channels that were bound at the same time are shown as one binding. */
  const places = useMemo(() => {
    const found = new Map((data ?? []).map((each) => [`${each.asset?.id} ${each.from}`, each] as const));
    return [...found.values()].slice(0, NEWEST);
  }, [data]);
  return (
    <Block title={text('devices.places')} more="places">
      {places.map(({ asset, from }) => (
        <Row
          key={`${asset?.id} ${from}`}
          label={asset ? <AssetLink assetId={asset.id}>{asset.name}</AssetLink> : text('devices.places.own')}
        >
          {from ? time(from, 'date-time') : text('devices.places.start')}
        </Row>
      ))}
    </Block>
  );
}

function Commands({ number }: { number: string }) {
  const { text } = useViewer();
  const { data } = useQuery(deviceCommandsQuery(number));
  return (
    <Block title={text('menu.device-commands')} more="commands">
      {data?.items.slice(0, NEWEST).map((command) => (
        <Row
          key={command.id}
          label={
            <>
              {orderWords(command.order, text)} <Age since={command.requestedAt} />
            </>
          }
        >
          <CommandState command={command} />
        </Row>
      ))}
      {data?.items.length === 0 ? <p className="small tertiary">{text('commands.empty.title')}</p> : null}
    </Block>
  );
}

function Block({ title, more, children }: { title: string; more: string; children: ReactNode }) {
  const { text } = useViewer();
  return (
    <section className="panel device-glance-block">
      <h2>
        {title}
        <Link className="small" to={`?tab=${more}`} aria-label={text('devices.glance.all-of', { title })}>
          {text('devices.glance.all')}
        </Link>
      </h2>
      <dl>{children}</dl>
    </section>
  );
}

function Row({ label, children }: { label: ReactNode; children: ReactNode }) {
  return (
    <div>
      <dt className="secondary">{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}
