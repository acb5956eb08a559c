import type { Alarm, AlarmMessage, AlarmStep } from '@isotherm/contracts/alarms';
import type { Signature } from '@isotherm/contracts/signatures';
import type { AlarmLevel } from '@isotherm/domain/alarms/alarm-level';
import { isSilence, isUpper } from '@isotherm/domain/alarms/catalogue';
import { END_WORDS, REASON_WORDS } from '@isotherm/i18n/alarm-words';
import type { TextId } from '@isotherm/i18n/text-id';
import { type FormEvent, useState } from 'react';
import { formatSetting } from '../../shared/format/duration.ts';
import { useViewer, type Viewer } from '../../shared/format/viewer.tsx';
import type { Text } from '../../shared/i18n/use-text.ts';
import { Button } from '../../shared/ui/button.tsx';
import { Icon, type IconName } from '../../shared/ui/icon.tsx';
import { LevelGlyph } from '../../shared/ui/level-glyph.tsx';
import { type CourseEntry, courseOf, nextRepeat } from './alarm-course.ts';
import { limitText, valueText } from './alarm-words.ts';
import { useAlarmActions } from './alarms.queries.ts';
import { errorText } from './messages/message-words.ts';
import { shortTime } from './suppressions/suppression-words.ts';

const SHOWN = ['all', 'messages', 'people'] as const;
type Shown = (typeof SHOWN)[number];

const PEOPLE: ReadonlySet<AlarmStep['type']> = new Set([
  'acknowledged',
  'fixed',
  'assigned',
  'commented',
  'ended-by',
]);

function isShown({ step, messages }: CourseEntry, shown: Shown): boolean {
  if (shown === 'all') return true;
  return shown === 'messages' ? messages.length > 0 : step !== null && PEOPLE.has(step.type);
}

/** Timeline of an alarm: its levels, who was notified, and the actions of people. */
export function AlarmTimeline({
  alarm,
  steps,
  messages,
  signatures,
  mayComment,
}: {
  alarm: Alarm;
  steps: readonly AlarmStep[];
  messages: readonly AlarmMessage[];
  signatures: readonly Signature[];
  mayComment: boolean;
}) {
  const { text } = useViewer();
  const [shown, setShown] = useState<Shown>('all');
  const entries = courseOf(steps, messages);
  const visible = entries.filter((entry) => isShown(entry, shown));
  const next =
    alarm.endedAt === null && alarm.acknowledgement === null ? nextRepeat(messages, alarm.level) : null;
  const told = entries.reduce((count, entry) => count + entry.messages.length, 0);
  return (
    <section className="panel alarm-panel" aria-label={text('alarms.page.timeline')}>
      <header className="alarm-panel-head">
        <h2>{text('alarms.page.timeline')}</h2>
        <span className="small tertiary">
          {text('alarms.page.timeline.summary', { events: steps.length + 1, messages: told })}
        </span>
        <span className="segments end">
          {SHOWN.map((each) => (
            <button key={each} type="button" aria-pressed={shown === each} onClick={() => setShown(each)}>
              {text(`alarms.page.show.${each}`)}
            </button>
          ))}
        </span>
      </header>
      <ol className="alarm-course">
        {shown === 'all' ? (
          <Entry
            at={alarm.since}
            mark={<span className="alarm-course-dot" />}
            title={beginText(alarm, text)}
          />
        ) : null}
        {visible.map((entry, index) => (
          <CourseRow
            // Steps have no id and never change their order, so the index is a stable key.
            // biome-ignore lint/suspicious/noArrayIndexKey: see above.
            key={`${entry.at} ${index}`}
            alarm={alarm}
            entry={entry}
            isSigned={isSigned(entry, signatures)}
            before={levelBefore(entries, entry)}
            after={visible[index - 1]?.at ?? (shown === 'all' ? alarm.since : undefined)}
          />
        ))}
        {shown === 'all' && next ? (
          <Entry
            at={next.dueAt}
            mark={<Icon name="repeat" />}
            title={text('alarms.page.next', { name: nameOf(next, text) })}
            coming
            after={visible.at(-1)?.at}
          />
        ) : null}
      </ol>
      {visible.length === 0 && shown !== 'all' ? (
        <p className="alarm-course-empty secondary">{text('alarms.page.empty')}</p>
      ) : null}
      {mayComment ? <CommentForm alarm={alarm} /> : null}
    </section>
  );
}

function beginText(alarm: Alarm, text: Text): string {
  if (isSilence(alarm.kind)) return text('alarms.step.silent');
  if (alarm.limitValue === null) return text('alarms.step.outside');
  return text(isUpper(alarm.kind) ? 'alarms.step.outside-high' : 'alarms.step.outside-low');
}

/** True if a person signed the action of the entry. Both have the time of the server. */
function isSigned({ step }: CourseEntry, signatures: readonly Signature[]): boolean {
  return step !== null && PEOPLE.has(step.type) && signatures.some(({ at }) => at === step.at);
}

/** The level before an entry, to show whether the alarm rose or fell. */
function levelBefore(entries: readonly CourseEntry[], entry: CourseEntry): AlarmLevel | null {
  const earlier = entries
    .slice(0, entries.indexOf(entry))
    .findLast(({ step }) => step && 'limitValue' in step);
  return earlier?.step && 'limitValue' in earlier.step ? earlier.step.level : null;
}

function Entry({
  at,
  mark,
  title,
  detail,
  quote,
  messages = [],
  coming = false,
  isSigned = false,
  after,
}: {
  at: string;
  mark: React.ReactNode;
  title: string;
  detail?: string | undefined;
  quote?: string | undefined;
  messages?: readonly AlarmMessage[];
  coming?: boolean;
  isSigned?: boolean;
  /** Time of the previous entry, so that the date is shown where it changes. */
  after?: string | undefined;
}) {
  const { time, text } = useViewer();
  const isNewDay = after === undefined || time(after, 'date') !== time(at, 'date');
  return (
    <li className={coming ? 'alarm-course-entry alarm-course-coming' : 'alarm-course-entry'}>
      <time className="number small tertiary" dateTime={at} title={time(at, 'date-time-seconds')}>
        {isNewDay ? <span className="alarm-course-day">{time(at, 'day')}</span> : null}
        {time(at, 'time-seconds')}
      </time>
      <span className="alarm-course-mark" aria-hidden="true">
        {mark}
      </span>
      <div>
        <span className="strong">{title}</span> {detail ? <span className="secondary">{detail}</span> : null}{' '}
        {isSigned ? <span className="tag">{text('signatures.signed')}</span> : null}
        {quote ? <p className="alarm-course-quote">{quote}</p> : null}
        {messages.length > 0 ? <Messages messages={messages} /> : null}
      </div>
    </li>
  );
}

function CourseRow({
  alarm,
  entry: { at, step, messages },
  isSigned,
  before,
  after,
}: {
  alarm: Alarm;
  entry: CourseEntry;
  isSigned: boolean;
  before: AlarmLevel | null;
  after: string | undefined;
}) {
  const { text } = useViewer();
  if (step === null) {
    const kind = messages[0]?.kind ?? 'raised';
    return (
      <Entry
        at={at}
        mark={<Icon name={kind === 'repeated' ? 'repeat' : 'alarms'} />}
        title={text(MESSAGE_TITLE[kind])}
        detail={
          kind === 'repeated' || kind === 'unacknowledged' ? text('alarms.step.repeated-why') : undefined
        }
        messages={messages}
        after={after}
      />
    );
  }
  return (
    <Entry
      at={at}
      after={after}
      messages={messages}
      isSigned={isSigned}
      {...wordsOf(step, alarm, before, text)}
    />
  );
}

const MESSAGE_TITLE: Readonly<Record<AlarmMessage['kind'], TextId>> = {
  raised: 'alarms.step.notified',
  'level-changed': 'alarms.step.notified',
  repeated: 'alarms.step.repeated',
  unacknowledged: 'alarms.step.escalated',
  ended: 'alarms.step.told-end',
  reopened: 'alarms.step.told-reopened',
};

function icon(name: IconName) {
  return <Icon name={name} />;
}

function wordsOf(
  step: AlarmStep,
  alarm: Alarm,
  before: AlarmLevel | null,
  text: Text,
): { mark: React.ReactNode; title: string; detail?: string | undefined; quote?: string | undefined } {
  switch (step.type) {
    case 'raised':
      return {
        mark: <LevelGlyph level={step.level} />,
        title: text('alarms.step.raised', { level: step.level }),
        detail: [
          valueText(alarm, step.value, text),
          limitText(alarm, text),
          alarm.triggerAfterMs > 0 && !isSilence(alarm.kind)
            ? text('alarms.step.delay', { duration: formatSetting(alarm.triggerAfterMs, text) })
            : '',
          alarm.defrostDelayMs !== null
            ? text('alarms.step.defrost', { duration: formatSetting(alarm.defrostDelayMs, text) })
            : '',
        ]
          .filter(Boolean)
          .join(' · '),
      };
    case 'level-changed':
      return {
        mark: <LevelGlyph level={step.level} />,
        title: text(before !== null && step.level < before ? 'alarms.step.fell' : 'alarms.step.climbed', {
          level: step.level,
        }),
        detail: valueText(alarm, step.value, text) ?? undefined,
      };
    case 'recovering':
      return { mark: icon('arrow-down'), title: text('alarms.step.recovering') };
    case 'relapsed':
      return { mark: icon('arrow-up'), title: text('alarms.step.relapsed') };
    case 'ended':
      return {
        mark: icon('check'),
        title: text('alarms.step.ended'),
        detail: alarm.endReason && step.at === alarm.endedAt ? text(END_WORDS[alarm.endReason]) : undefined,
      };
    case 'reopened':
      return { mark: icon('repeat'), title: text('alarms.step.reopened') };
    case 'late-readings':
      return { mark: icon('clock'), title: text('alarms.step.late-readings') };
    case 'acknowledged':
      return {
        mark: icon('check'),
        title: text('alarms.step.acknowledged', { name: step.by }),
        detail:
          [step.byLink ? text('links.by-link') : '', step.reason ? text(REASON_WORDS[step.reason]) : '']
            .filter(Boolean)
            .join(' · ') || undefined,
        quote: [step.cause, step.correctiveAction].filter(Boolean).join('\n') || undefined,
      };
    case 'fixed':
      return { mark: icon('check'), title: text('alarms.step.fixed', { name: step.by }) };
    case 'assigned':
      return {
        mark: icon('user'),
        title:
          step.to === null
            ? text('alarms.step.unassigned', { name: step.by })
            : text('alarms.step.assigned', { name: step.by, to: step.to }),
      };
    case 'commented':
      return {
        mark: icon('edit'),
        title: text('alarms.step.commented', { name: step.by }),
        quote: step.text,
      };
    case 'ended-by':
      return { mark: icon('user'), title: text('alarms.step.ended-by', { name: step.by }), quote: step.text };
  }
}

const nameOf = ({ to }: AlarmMessage, text: Text) => to || text('alarms.message.gone');

/** State of a notification in words, with the suppression window that holds it back or had it dropped. */
function messageState(message: AlarmMessage, viewer: Viewer): string {
  const { state, error, held, suppression, waits, dueAt } = message;
  const { text, time } = viewer;
  if (suppression && held)
    return text('suppressions.alarm.held', {
      time: shortTime(suppression.until, viewer),
      reason: suppression.reason,
    });
  if (suppression && state === 'cancelled')
    return text('suppressions.alarm.dropped', { reason: suppression.reason });
  if (state === 'cancelled' && error === 'quiet hours') return text('alarms.message.quiet-dropped');
  if (waits === 'quiet') return text('alarms.message.quiet', { time: time(dueAt, 'day-time') });
  if (waits === 'group') return text('alarms.message.waits-group');
  if (state === 'pending' && error === 'nobody on call') return text('alarms.message.waits-cover');
  if (waits === 'balance' || (state === 'failed' && error === 'balance'))
    return text('alarms.message.unpaid');
  if (state === 'failed' && error === 'daily limit') return text('alarms.message.daily-limit');
  if (state === 'failed' && error)
    return text('alarms.message.failed-why', { error: errorText(error, text) });
  return text(`alarms.message.${state === 'cancelled' ? 'failed' : state}`);
}

function Messages({ messages }: { messages: readonly AlarmMessage[] }) {
  const viewer = useViewer();
  const { text, time } = viewer;
  return (
    <ul className="alarm-messages">
      {messages.map((message) => (
        <li key={message.id} className={message.state === 'failed' ? 'alarm-message-failed' : undefined}>
          <span className="ellipsis">{nameOf(message, text)}</span>
          <span className="secondary">{text(`alarms.message.${message.channel}`)}</span>
          <span className="alarm-message-state">
            <Icon name={STATE_ICON[message.state]} small />
            {messageState(message, viewer)}
            {message.receipt && message.state === 'sent' ? (
              <span className="tag" title={time(message.receipt.at, 'date-time-seconds')}>
                {text(`alarm-messages.receipt.${message.receipt.state}`)}
              </span>
            ) : null}
            {message.state === 'sent' && message.error !== '' ? (
              <span className="tag" title={message.error}>
                {text('alarms.message.delayed')}
              </span>
            ) : null}
            {message.late ? <span className="tag">{text('alarms.message.late')}</span> : null}
            {message.group ? (
              <span
                className="tag"
                title={text(`alarms.cause.${message.group.cause}`, {
                  source: message.group.source,
                  site: message.group.site,
                })}
              >
                {text('alarms.message.group', { count: message.group.alarms })}
              </span>
            ) : null}
          </span>
          <span className="number tertiary">
            {time(message.deliveredAt ?? message.dueAt, 'time-seconds')}
          </span>
        </li>
      ))}
    </ul>
  );
}

const STATE_ICON: Readonly<Record<AlarmMessage['state'], IconName>> = {
  sent: 'check',
  failed: 'close',
  cancelled: 'close',
  pending: 'clock',
  sending: 'clock',
};

function CommentForm({ alarm }: { alarm: Alarm }) {
  const { text } = useViewer();
  const actions = useAlarmActions(alarm);
  const [said, setSaid] = useState('');
  const [isBusy, setBusy] = useState(false);
  async function send(event: FormEvent) {
    event.preventDefault();
    const comment = said.trim();
    if (comment === '' || isBusy) return;
    setBusy(true);
    try {
      await actions.comment(comment);
      setSaid('');
    } catch {
      // The API client has already shown the error as a message, and the entered text is kept.
    } finally {
      setBusy(false);
    }
  }
  return (
    <form className="alarm-comment-form" onSubmit={(event) => void send(event)}>
      <textarea
        rows={1}
        maxLength={1000}
        value={said}
        aria-label={text('alarms.comment.add')}
        placeholder={text('alarms.comment.add')}
        onChange={({ target }) => setSaid(target.value)}
      />
      <Button type="submit" disabled={isBusy || said.trim() === ''}>
        {text('alarms.comment')}
      </Button>
    </form>
  );
}
