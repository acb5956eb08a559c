import './packets.css';
import { listPackets, packetHex, type StoredPacket } from '@isotherm/contracts/packets';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { z } from 'zod';
import { usePermission } from '../../../shared/access/permissions.ts';
import { useViewer, type Viewer } from '../../../shared/format/viewer.tsx';
import { Button } from '../../../shared/ui/button.tsx';
import { Definitions } from '../../../shared/ui/detail-page.tsx';
import { FormPanel } from '../../../shared/ui/form/form-panel.tsx';
import { TextAreaField } from '../../../shared/ui/form/text-fields.tsx';
import { ListPage } from '../../../shared/ui/list/list-page.tsx';
import { pagesOf } from '../../../shared/ui/list/list-source.ts';
import type { ListColumn } from '../../../shared/ui/list/list-types.ts';
import { FailureNotice } from '../../../shared/ui/notice.tsx';
import { PageHead } from '../../../shared/ui/page-head.tsx';
import { useUrlState } from '../../../shared/ui/use-url-state.ts';
import { PacketExplanation } from './packet-explanation.tsx';
import { keptLabel } from './packet-words.ts';
import { explanationQuery, PACKETS_KEY, packetQuery } from './packets.queries.ts';

const source = pagesOf(listPackets);
const pasteForm = z.object({ hex: packetHex });
/** Longest hex text that is kept in the address; servers accept addresses of a few thousand characters. */
const LONGEST_IN_ADDRESS = 4_000;
const GATEWAYS = ['tcp', 'mqtt'] as const;

/**
 * Page that parses gateway packets (requirements §2): the user pastes bytes or selects a stored message, and
 * sees every field.
 */
export default function PacketParsing() {
  const { text } = useViewer();
  const [params, change] = useUrlState();
  const sees = usePermission('management-packets:view');
  const id = Number(params.get('packet')) || null;
  // Bytes that are too long for the address are kept in memory while the page is open.
  const [long, setLong] = useState('');
  const hex = params.get('hex') ?? long;
  const isChosen = id !== null || hex !== '';
  function explain(bytes: string): void {
    const fits = bytes.length <= LONGEST_IN_ADDRESS;
    setLong(fits ? '' : bytes);
    change({ hex: fits ? bytes : null, packet: null }, 'push');
  }
  function goBack(): void {
    setLong('');
    change({ packet: null, hex: null }, 'push');
  }
  return (
    <div className="page">
      <PageHead title={text('menu.management-packets')} purpose={text('packets.purpose')}>
        {isChosen ? <Button onClick={goBack}>{text('packets.back')}</Button> : null}
      </PageHead>
      {sees ? (
        <section className="panel packet-paste">
          <FormPanel
            key={hex}
            schema={pasteForm}
            initial={{ hex: inPairs(hex) }}
            submit={async (values) => explain(packetHex.parse(values.hex))}
            submitLabel={text('packets.explain')}
            guarded={false}
          >
            <TextAreaField name="hex" label={text('packets.paste.label')} help={text('packets.paste.help')} />
          </FormPanel>
        </section>
      ) : null}
      {sees && id !== null ? <Kept id={id} /> : null}
      {sees && id === null && hex !== '' ? <Pasted hex={hex} /> : null}
      {isChosen ? null : <KeptPackets onOpen={({ id: chosen }) => change({ packet: chosen }, 'push')} />}
    </div>
  );
}

const inPairs = (hex: string) => hex.replace(/../g, '$& ').trimEnd();

function Pasted({ hex }: { hex: string }) {
  const { data, error, refetch } = useQuery(explanationQuery(hex));
  if (data) return <PacketExplanation explanation={data} />;
  if (error) return <FailureNotice error={error} retry={() => void refetch()} />;
  return <div className="panel skeleton packet-waiting" />;
}

function Kept({ id }: { id: number }) {
  const { text, time } = useViewer();
  const { data, error, refetch } = useQuery(packetQuery(id));
  if (error && !data) return <FailureNotice error={error} retry={() => void refetch()} />;
  if (!data) return <div className="panel skeleton packet-waiting" />;
  const { stored } = data;
  return (
    <>
      <section className="panel packet-facts">
        <h2>{text('packets.name', { id: String(id), device: stored.deviceNumber })}</h2>
        <Definitions
          facts={[
            { label: text('packets.why'), value: keptLabel(stored.code, text) },
            { label: text('packets.received'), value: time(stored.receivedAt, 'date-time-seconds') },
            { label: text('packets.gateway'), value: text(`packets.gateway.${stored.gateway}`) },
            { label: text('packets.address'), value: <bdi dir="ltr">{stored.address}</bdi> },
            { label: text('packets.organization'), value: stored.organizationName },
          ]}
        />
      </section>
      <PacketExplanation explanation={data} />
    </>
  );
}

function columnsFor({ text, time }: Viewer): ListColumn<StoredPacket>[] {
  return [
    {
      key: 'receivedAt',
      title: text('packets.received'),
      pinned: true,
      sortable: true,
      firstOrder: 'desc',
      render: (packet) => <span className="number">{time(packet.receivedAt, 'date-time-seconds')}</span>,
    },
    {
      key: 'device',
      title: text('packets.device'),
      render: (packet) => <span className="number">{packet.deviceNumber}</span>,
    },
    {
      key: 'code',
      title: text('packets.why'),
      maxWidth: 320,
      render: (packet) => keptLabel(packet.code, text),
    },
    {
      key: 'gateway',
      title: text('packets.gateway'),
      render: (packet) => text(`packets.gateway.${packet.gateway}`),
    },
    { key: 'bytes', title: text('packets.size'), align: 'end', render: (packet) => packet.bytes },
    {
      key: 'address',
      title: text('packets.address'),
      wideOnly: true,
      render: (packet) => <bdi dir="ltr">{packet.address}</bdi>,
    },
    {
      key: 'organization',
      title: text('packets.organization'),
      wideOnly: true,
      maxWidth: 200,
      render: (packet) => <span className="secondary">{packet.organizationName}</span>,
    },
  ];
}

function KeptPackets({ onOpen }: { onOpen: (packet: StoredPacket) => void }) {
  const viewer = useViewer();
  const { text } = viewer;
  const columns = useMemo(() => columnsFor(viewer), [viewer]);
  return (
    <ListPage
      embedded
      name="management-packets"
      title={text('menu.management-packets')}
      purpose={text('packets.purpose')}
      source={source}
      queryKey={PACKETS_KEY}
      columns={columns}
      rowKey={(packet) => packet.id}
      rowName={(packet) => text('packets.name', { id: String(packet.id), device: packet.deviceNumber })}
      searchLabel={text('packets.search')}
      defaultSort={{ sort: 'receivedAt', order: 'desc' }}
      filters={[
        {
          keys: ['gateway'],
          label: text('packets.gateway'),
          options: GATEWAYS.map((value) => ({ value, label: text(`packets.gateway.${value}`) })),
        },
      ]}
      onOpen={onOpen}
      empty={{ title: text('packets.empty.title'), reason: text('packets.empty.reason') }}
    />
  );
}
