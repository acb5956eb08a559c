import { listPolicyRecipients, type PolicyRecipient } from '@isotherm/contracts/alarm-policies';
import {
  NOTIFICATION_CHANNELS,
  type NotificationChannel,
  needsRecipients,
  type RecipientType,
  suitsRecipients,
} from '@isotherm/domain/alarms/graded-policy';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import Select from 'antd/es/select';
import { useState } from 'react';
import { call } from '../../../shared/api/client.ts';
import { useText } from '../../../shared/i18n/use-text.ts';
import { isTab, KeyFrame } from '../../../shared/ui/form/key-frame.tsx';
import { NumberCell } from '../../../shared/ui/form/number-cell.tsx';
import { useSettled } from '../../../shared/ui/form/use-settled.ts';
import { POLICIES_KEY } from './policies.queries.ts';
import type { StepDraft } from './policy-draft.ts';

const MINUTE_MS = 60_000;
/** Wide enough for a name with its organisation, in px. */
const POPUP_WIDTH = 340;

type Told = Pick<StepDraft, 'recipients' | 'channels' | 'repeatMs' | 'url' | 'alertors'>;

/**
 * Edits who is notified when an alarm reaches a level, through which notification channels, and how often it
 * is repeated.
 */
export function RecipientsField({
  step,
  type,
  repeats = true,
  onChange,
}: {
  step: Told;
  type: RecipientType;
  /** False if notifications cannot be repeated. */
  repeats?: boolean;
  onChange: (changes: Partial<Told>) => void;
}) {
  const { text } = useText();
  const { channels } = step;
  return (
    <div className="graded-told">
      <div className="graded-cell">
        <span className="field-label" aria-hidden="true">
          {text('policies.step.channels')}
        </span>
        <KeyFrame take={isTab}>
          <Select<NotificationChannel[]>
            mode="multiple"
            className="form-select"
            aria-label={text('policies.step.channels')}
            placeholder={text('policies.step.channels.none')}
            value={channels}
            options={NOTIFICATION_CHANNELS.map((value) => ({
              value,
              label: text(`policies.channel.${value}`),
              disabled: !suitsRecipients(value, type),
              title: text(
                suitsRecipients(value, type)
                  ? `policies.channel.${value}`
                  : 'validation.policy-web-recipients',
              ),
            }))}
            onChange={(chosen) =>
              onChange({
                channels: chosen,
                recipients: needsRecipients(chosen) ? step.recipients : [],
                url: chosen.includes('url-push') ? step.url : '',
                alertors: chosen.includes('alertor') ? step.alertors : [],
                repeatMs: chosen.length > 0 ? step.repeatMs : null,
              })
            }
          />
        </KeyFrame>
      </div>
      {needsRecipients(channels) ? (
        <div className="graded-cell">
          <span className="field-label" aria-hidden="true">
            {text('policies.step.recipients')}
          </span>
          <Recipients
            type={type}
            label={text('policies.step.recipients')}
            value={step.recipients}
            onChange={(recipients) => onChange({ recipients })}
          />
        </div>
      ) : null}
      {channels.includes('alertor') ? (
        <div className="graded-cell">
          <span className="field-label" aria-hidden="true">
            {text('policies.step.alertors')}
          </span>
          <Recipients
            type="alertors"
            label={text('policies.step.alertors')}
            value={step.alertors}
            onChange={(alertors) => onChange({ alertors })}
          />
        </div>
      ) : null}
      {channels.includes('url-push') ? (
        <div className="graded-cell">
          <span className="field-label" aria-hidden="true">
            {text('policies.step.url')}
          </span>
          <div className="field">
            <input
              type="text"
              inputMode="url"
              autoComplete="off"
              aria-label={text('policies.step.url')}
              placeholder="https://"
              value={step.url}
              onChange={(event) => onChange({ url: event.target.value })}
            />
          </div>
        </div>
      ) : null}
      {repeats && channels.length > 0 ? (
        <div className="graded-cell">
          <span className="field-label" aria-hidden="true">
            {text('policies.step.repeat')}
          </span>
          <NumberCell
            value={typeof step.repeatMs === 'number' ? step.repeatMs / MINUTE_MS : step.repeatMs}
            label={text('policies.step.repeat')}
            unit={text('policies.step.minutes')}
            placeholder={text('policies.step.repeat.never')}
            onChange={(minutes) =>
              onChange({
                repeatMs: typeof minutes === 'number' ? Math.round(minutes * MINUTE_MS) : (minutes ?? null),
              })
            }
          />
        </div>
      ) : null}
    </div>
  );
}

/** Recipients of a type, or alertors. */
type Chosen = RecipientType | 'alertors';

function Recipients({
  type,
  label,
  value,
  onChange,
}: {
  type: Chosen;
  label: string;
  value: readonly number[];
  onChange: (ids: number[]) => void;
}) {
  const { text } = useText();
  const [typed, setTyped] = useState('');
  const search = useSettled(typed);
  const [open, setOpen] = useState(false);
  const found = useQuery({
    queryKey: [...POLICIES_KEY, 'recipients', type, search],
    queryFn: () => call(listPolicyRecipients, { query: { type, search }, quiet: true }),
    enabled: open,
    staleTime: 30_000,
  });
  const chosen = useRecipients(type, value);
  const known = new Map([...(chosen.data ?? []), ...(found.data ?? [])].map((each) => [each.id, each]));
  const offered = new Set([...(found.data ?? []).map(({ id }) => id), ...(typed === '' ? value : [])]);
  return (
    <KeyFrame take={isTab}>
      <Select<number[]>
        mode="multiple"
        className="form-select"
        aria-label={label}
        placeholder={text(`policies.recipient-type.${type}`)}
        value={[...value]}
        loading={found.isFetching}
        popupMatchSelectWidth={POPUP_WIDTH}
        showSearch={{ filterOption: false, onSearch: setTyped }}
        notFoundContent={text(found.isFetching ? 'common.loading' : 'common.list.no-match')}
        options={[...offered].map((id) => ({ value: id, label: nameOf(known.get(id), id) }))}
        optionRender={({ value: id }) => <Recipient recipient={known.get(id as number)} />}
        labelRender={({ value: id }) => nameOf(known.get(id as number), id)}
        onOpenChange={setOpen}
        onChange={onChange}
      />
    </KeyFrame>
  );
}

/**
 * A recipient of an organisation above is shown by its id, because the user has no permission to see its
 * name.
 */
const nameOf = (recipient: PolicyRecipient | undefined, id: number | string) => recipient?.name ?? `#${id}`;

function Recipient({ recipient }: { recipient: PolicyRecipient | undefined }) {
  const { text } = useText();
  if (!recipient) return null;
  return (
    <span>
      {recipient.name}{' '}
      <span className="small tertiary">
        {recipient.hasEmail
          ? recipient.organizationName
          : `${recipient.organizationName} · ${text('policies.recipient.no-email')}`}
      </span>
    </span>
  );
}

function useRecipients(type: Chosen, ids: readonly number[]) {
  const asked = [...ids].sort((a, b) => a - b).join(',');
  return useQuery({
    queryKey: [...POLICIES_KEY, 'recipients', type, 'chosen', asked],
    queryFn: () => call(listPolicyRecipients, { query: { type, ids: asked }, quiet: true }),
    enabled: ids.length > 0,
    staleTime: 30_000,
    placeholderData: keepPreviousData,
  });
}

/** Describes who is notified at a level. */
export function ToldWords({ step, type }: { step: Told; type: RecipientType }) {
  const { text } = useText();
  const { data = [] } = useRecipients(type, step.recipients);
  const alertors = useRecipients('alertors', step.alertors);
  const known = new Map(data.map((each) => [each.id, each]));
  const knownAlertors = new Map((alertors.data ?? []).map((each) => [each.id, each]));
  const parts = [
    ...step.recipients.map((id) => nameOf(known.get(id), id)),
    ...step.alertors.map((id) => nameOf(knownAlertors.get(id), id)),
    ...(step.channels.includes('url-push') ? [step.url] : []),
    ...(typeof step.repeatMs === 'number'
      ? [text('policies.step.repeat.words', { minutes: step.repeatMs / MINUTE_MS })]
      : []),
  ];
  return <span className="secondary">{parts.join(' · ')}</span>;
}
