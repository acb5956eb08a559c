import {
  PAYLOAD_FORMATS,
  type PayloadFormat,
  type tryPayloadMapping,
} from '@isotherm/contracts/payload-mappings';
import type { ResponseOf } from '@isotherm/contracts/route';
import { INDICATORS, type Indicator } from '@isotherm/domain/readings/indicator';
import { indicatorOf, type Mapping } from '@isotherm/domain/readings/payload-mapping';
import { switchLabel } from '@isotherm/i18n/alarm-words';
import { MINUS } from '@isotherm/i18n/figures';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useId, useRef, useState } from 'react';
import { INDICATOR_LABEL } from '../../../shared/format/labels.ts';
import { fixed, unitOf } from '../../../shared/format/number.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { useText } from '../../../shared/i18n/use-text.ts';
import { Button } from '../../../shared/ui/button.tsx';
import { Icon } from '../../../shared/ui/icon.tsx';
import { triedQuery } from './mappings.queries.ts';
import { examplePayload } from './payload-examples.ts';
import { formatName } from './payload-formats.ts';

type Tried = ResponseOf<typeof tryPayloadMapping>;
type Message = Tried['messages'][number];

const SETTLES_MS = 250;
/** Number of messages that are shown; further ones are only counted. */
const MOST_MESSAGES = 20;
const MOST_UNREAD = 40;

/** Shows which readings a pasted payload would give. Nothing is stored. */
export function TryPayload({
  entries,
  list,
  onAdd,
}: Mapping & {
  /** Adds an entry for an unmapped path. Without this callback the paths are only listed. */
  onAdd?: ((path: string) => void) | undefined;
}) {
  const { text } = useText();
  const [format, setFormat] = useState<PayloadFormat>('thingsboard');
  const [payload, setPayload] = useState('');
  const asked = useSettled(JSON.stringify({ format, payload, entries, list }));
  const { data, error, isPlaceholderData } = useQuery(triedQuery(JSON.parse(asked)));
  const id = useId();
  return (
    <div className="form-wide mapping-try">
      <fieldset className="segments" aria-label={text('mappings.format')}>
        {PAYLOAD_FORMATS.map((each) => (
          <button
            key={each}
            type="button"
            aria-pressed={each === format}
            onClick={() => {
              setFormat(each);
              // As long as the example is unmodified, it changes with the selected format.
              if (payload === examplePayload(format)) setPayload(examplePayload(each));
            }}
          >
            {formatName(each, text)}
          </button>
        ))}
      </fieldset>
      <div className="mapping-try-input">
        <div className="mapping-try-label">
          <label className="field-label" htmlFor={id}>
            {text('mappings.payload')}
          </label>
          <Button variant="link" className="small" onClick={() => setPayload(examplePayload(format))}>
            {text('mappings.example')}
          </Button>
        </div>
        <textarea
          id={id}
          className={error ? 'text-area field-wrong' : 'text-area'}
          aria-invalid={error !== null}
          rows={12}
          spellCheck={false}
          placeholder={text('mappings.payload.paste')}
          value={payload}
          onChange={(event) => setPayload(event.target.value)}
        />
        {error ? (
          <div className="field-fault">
            <Icon name="info" small />
            {error.message}
          </div>
        ) : null}
      </div>
      <section
        className="mapping-try-result"
        aria-label={text('mappings.result')}
        aria-busy={isPlaceholderData}
      >
        <h4 className="field-label">{text('mappings.result')}</h4>
        {data && payload.trim() !== '' && !error ? (
          <Outcome tried={data} onAdd={onAdd} />
        ) : (
          <p className="small tertiary">{text('mappings.result.waits')}</p>
        )}
      </section>
    </div>
  );
}

/** Returns the value after a debounce delay. */
function useSettled(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), SETTLES_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

function Outcome({ tried, onAdd }: { tried: Tried; onAdd?: ((path: string) => void) | undefined }) {
  const { text } = useText();
  const rest = tried.messages.length - MOST_MESSAGES;
  return (
    <>
      {[...new Set(tried.faults)].map((fault) => (
        <div key={fault} className="field-fault">
          <Icon name="info" small />
          {text(`mappings.message-fault.${fault}`)}
        </div>
      ))}
      {tried.messages.slice(0, MOST_MESSAGES).map((message, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: messages of one payload have no name but their place.
        <MessageReadings key={at} message={message} />
      ))}
      {rest > 0 ? <p className="small tertiary">{text('mappings.more-messages', { count: rest })}</p> : null}
      <Unread paths={[...new Set(tried.messages.flatMap(({ unread }) => unread))]} onAdd={onAdd} />
    </>
  );
}

function MessageReadings({ message: { device, at, readings } }: { message: Message }) {
  const { text, time } = useViewer();
  return (
    <div className="mapping-message">
      <div className="small secondary">
        {device ?? text('mappings.sender')} ·{' '}
        {at ? time(at, 'date-time-seconds') : text('mappings.on-receipt')}
      </div>
      {readings.length === 0 ? <p className="small tertiary">{text('mappings.nothing-read')}</p> : null}
      <ul>
        {readings.map(({ channel, value, fault }) => {
          const indicator = indicatorOf(channel);
          return (
            <li key={channel}>
              <span>{text(INDICATOR_LABEL[indicator])}</span>
              <code className="small tertiary">{channel}</code>
              <bdi dir="ltr" className={fault ? 'number mapping-refused' : 'number strong'}>
                {INDICATORS[indicator].kind === 'switch' && fault === null
                  ? text(switchLabel(indicator, value))
                  : `${String(value).replace('-', MINUS)} ${unitOf(indicator)}`.trim()}
              </bdi>
              {fault ? (
                <span className="field-fault">
                  <Icon name="info" small />
                  {text('mappings.impossible', impossible(indicator))}
                </span>
              ) : null}
            </li>
          );
        })}
      </ul>
    </div>
  );
}

function impossible(indicator: Indicator) {
  const { physicalMin, physicalMax, unit } = INDICATORS[indicator];
  return { from: fixed(physicalMin, 0), to: `${fixed(physicalMax, 0)} ${unit}`.trim() };
}

function Unread({
  paths,
  onAdd,
}: {
  paths: readonly string[];
  onAdd?: ((path: string) => void) | undefined;
}) {
  const { text } = useText();
  const part = useRef<HTMLDivElement>(null);
  if (paths.length === 0) return null;
  const rest = paths.length - MOST_UNREAD;
  return (
    <div className="mapping-unread" ref={part} tabIndex={-1}>
      <p className="small secondary">{text(onAdd ? 'mappings.unread.add' : 'mappings.unread')}</p>
      {paths.slice(0, MOST_UNREAD).map((path) =>
        onAdd ? (
          <Button
            key={path}
            size="small"
            aria-label={text('mappings.unread.add-named', { path })}
            onClick={() => {
              onAdd(path);
              // The focused button disappears when its path is mapped, so the focus is moved to the section.
              part.current?.focus({ preventScroll: true });
            }}
          >
            <Icon name="plus" />
            {path}
          </Button>
        ) : (
          <code key={path} className="tag">
            {path}
          </code>
        ),
      )}
      {rest > 0 ? (
        <span className="small tertiary">{text('mappings.unread.more', { count: rest })}</span>
      ) : null}
    </div>
  );
}
