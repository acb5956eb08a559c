import type { ExplainedField, ExplainedPacket, Explanation } from '@isotherm/contracts/packets';
import { textId } from '@isotherm/i18n/text-id';
import { type KeyboardEvent, useMemo, useRef, useState } from 'react';
import { fixed } from '../../../shared/format/number.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { Icon } from '../../../shared/ui/icon.tsx';
import { TableFrame } from '../../../shared/ui/table-frame.tsx';
import { byteRuns, covers, fieldsOf } from './byte-runs.ts';
import { faultLabel, meaningOf } from './packet-words.ts';

/** Longest value in the table, in characters. Encrypted text may be longer and is cut off. */
const MAX_VALUE_CHARACTERS = 24;
const STEPS: Record<string, number> = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 };

/** The bytes next to the decoded fields. Selecting one highlights the other. */
export function PacketExplanation({ explanation }: { explanation: Explanation }) {
  const { text } = useViewer();
  const { hex, packets, omitted } = explanation;
  const fields = useMemo(() => fieldsOf(packets), [packets]);
  const runs = useMemo(() => byteRuns(hex, fields), [hex, fields]);
  const [chosen, setChosen] = useState<number | null>(null);
  const rows = useRef(new Map<number, HTMLElement>());
  const current = chosen === null ? undefined : fields[chosen];

  /** Arrow keys move from field to field, in the bytes and in the table. */
  function step(event: KeyboardEvent): void {
    const by = STEPS[event.key];
    if (by === undefined) return;
    event.preventDefault();
    const next = Math.min(fields.length - 1, Math.max(0, (chosen ?? -1) + by));
    setChosen(next);
    const row = rows.current.get(next);
    row?.scrollIntoView({ block: 'nearest' });
    if (event.currentTarget.contains(row ?? null)) row?.focus();
  }

  let index = 0;
  let count = 0;
  return (
    <div className="packet-explanation">
      <section className="panel packet-bytes">
        <h2>{text('packets.bytes')}</h2>
        <p className="small secondary">{text('packets.bytes.hint')}</p>
        <section
          className="packet-hex"
          aria-label={text('packets.bytes')}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: stepped through by arrow keys, which need the focus.
          tabIndex={0}
          onKeyDown={step}
        >
          {runs.map(({ offset, bytes, field, isFault }) => {
            const isChosen = current !== undefined && field !== null && covers(current, fields[field]!);
            const name = [
              'packet-run',
              isChosen ? 'packet-run-chosen' : '',
              isFault ? 'packet-run-fault' : '',
              field === null ? 'packet-run-none' : '',
            ];
            return (
              // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/noStaticElementInteractions: the arrow keys of the group do the same.
              <span
                key={offset}
                className={name.filter(Boolean).join(' ')}
                onMouseEnter={() => setChosen(field)}
                onClick={() => {
                  setChosen(field);
                  if (field !== null) rows.current.get(field)?.scrollIntoView({ block: 'nearest' });
                }}
              >
                {bytes.map((byte, place) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: bytes have no name but their place.
                  <span key={place} className="packet-byte">
                    {byte}
                  </span>
                ))}
              </span>
            );
          })}
        </section>
        <p className="packet-current" aria-live="polite">
          {current ? <Said field={current} /> : null}
        </p>
      </section>
      <div className="packet-fields">
        {packets.map((packet) => {
          const from = index;
          if (packet.kind === 'packet') count++;
          index += packet.fields.length;
          return (
            <PacketFields
              key={packet.offset}
              packet={packet}
              number={count}
              from={from}
              chosen={chosen}
              onChoose={setChosen}
              onStep={step}
              rows={rows.current}
            />
          );
        })}
        {omitted > 0 ? (
          <p className="small secondary">{text('packets.omitted', { count: omitted })}</p>
        ) : null}
      </div>
    </div>
  );
}

function Said({ field }: { field: ExplainedField }) {
  const viewer = useViewer();
  const { text } = viewer;
  const meaning = meaningOf(field, viewer);
  return (
    <>
      <strong>{text(textId(`packets.name.${field.name}`))}</strong>{' '}
      <span className="number">{placeOf(field)}</span>
      {meaning ? <> · {meaning}</> : null}
      {field.fault ? <> · {faultLabel(field.fault, text)}</> : null}
    </>
  );
}

/** Returns the byte positions of a field: `16–21`, or `15`. */
function placeOf({ offset, length }: ExplainedField): string {
  return length > 1 ? `${offset}–${offset + length - 1}` : String(offset);
}

function valueText({ value }: ExplainedField): string {
  const plain = typeof value === 'number' ? fixed(value, 0) : (value ?? '');
  return plain.length > MAX_VALUE_CHARACTERS ? `${plain.slice(0, MAX_VALUE_CHARACTERS)}…` : plain;
}

function PacketFields({
  packet,
  number,
  from,
  chosen,
  onChoose,
  onStep,
  rows,
}: {
  packet: ExplainedPacket;
  number: number;
  /** Index of the packet's first field among the fields of all packets. */
  from: number;
  chosen: number | null;
  onChoose: (index: number) => void;
  onStep: (event: KeyboardEvent) => void;
  rows: Map<number, HTMLElement>;
}) {
  const viewer = useViewer();
  const { text } = viewer;
  if (packet.kind === 'garbage')
    return (
      <section className="panel packet-part">
        <p className="packet-verdict packet-verdict-fault">
          <Icon name="info" /> {text('packets.garbage', { count: packet.length })}
        </p>
      </section>
    );
  const title = text('packets.packet', { number, count: packet.length });
  return (
    <section className="panel packet-part">
      <h2>{title}</h2>
      <p className={packet.fault ? 'packet-verdict packet-verdict-fault' : 'packet-verdict'}>
        <Icon name={packet.fault ? 'info' : 'check'} />{' '}
        {packet.fault ? faultLabel(packet.fault, text) : text('packets.right')}
      </p>
      {packet.opened ? <p className="small secondary">{text('packets.opened')}</p> : null}
      <TableFrame label={title}>
        <thead>
          <tr>
            <th scope="col">{text('packets.field')}</th>
            <th scope="col">{text('packets.meaning')}</th>
            <th scope="col">{text('packets.value')}</th>
            <th scope="col">{text('packets.at')}</th>
          </tr>
        </thead>
        <tbody onKeyDown={onStep}>
          {packet.fields.map((field, place) => {
            const index = from + place;
            // Only one field is reachable by Tab; arrow keys move from there.
            const isStop = chosen === null ? index === 0 : chosen === index;
            return (
              <tr
                key={index}
                ref={(row) => {
                  if (row) rows.set(index, row);
                  else rows.delete(index);
                }}
                className={chosen === index ? 'packet-row packet-row-chosen' : 'packet-row'}
                aria-current={chosen === index}
                tabIndex={isStop ? 0 : -1}
                onFocus={() => onChoose(index)}
                onMouseEnter={() => onChoose(index)}
              >
                <th
                  scope="row"
                  style={{ paddingInlineStart: `calc(12px + ${field.level} * var(--packet-indent))` }}
                >
                  {text(textId(`packets.name.${field.name}`))}
                </th>
                <td>
                  {meaningOf(field, viewer)}
                  {field.fault ? (
                    <strong className="packet-fault">{faultLabel(field.fault, text)}</strong>
                  ) : null}
                </td>
                <td className="number">
                  <bdi dir="ltr">{valueText(field)}</bdi>
                </td>
                <td className="number">{placeOf(field)}</td>
              </tr>
            );
          })}
        </tbody>
      </TableFrame>
    </section>
  );
}
