import {
  messageTemplateInput,
  previewMessageTemplate,
  type TemplatePreview,
  testMessageTemplate,
} from '@isotherm/contracts/message-templates';
import { wordIssues } from '@isotherm/contracts/validation';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../../shared/api/client.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { Button } from '../../../shared/ui/button.tsx';
import { useFormContext } from '../../../shared/ui/form/form-context.ts';
import { useSettled } from '../../../shared/ui/form/use-settled.ts';
import { toast } from '../../../shared/ui/toast.tsx';

/** Preview of the edited text, as the server renders it, and a test message. */
export function TemplatePreviewPanel() {
  const { text, time } = useViewer();
  const { values } = useFormContext();
  const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
  const checked = messageTemplateInput.safeParse(given);
  const body = checked.success ? checked.data : null;
  const settled = useSettled(body === null ? '' : JSON.stringify(body));
  const { data, error } = useQuery({
    queryKey: ['alarms', 'message-templates', 'preview', settled],
    queryFn: ({ signal }) => call(previewMessageTemplate, { body: JSON.parse(settled), signal }),
    enabled: settled !== '',
    placeholderData: keepPreviousData,
  });
  const [fault] = checked.success ? [] : wordIssues(checked.error, given);
  return (
    <section className="form-section" aria-label={text('message-templates.preview')}>
      <h3>{text('message-templates.preview')}</h3>
      <div className="alarm-preview" aria-live="polite">
        {fault ? (
          <p className="secondary">
            {values.body === undefined
              ? text('common.loading')
              : `${text('message-templates.preview.invalid')} ${text(`validation.${fault.rule}`, fault.params)}`}
          </p>
        ) : error ? (
          <p className="secondary">{error.message}</p>
        ) : data ? (
          <Shown preview={data} />
        ) : (
          <p className="secondary">{text('common.loading')}</p>
        )}
      </div>
      {data && !fault ? (
        <p className="small secondary alarm-preview-source">
          {data.alarm
            ? text('message-templates.preview.alarm', {
                asset: data.alarm.asset,
                time: time(data.alarm.raisedAt, 'date-time'),
              })
            : text('message-templates.preview.example')}
        </p>
      ) : null}
      <TestButton body={body} />
    </section>
  );
}

function Shown({ preview }: { preview: TemplatePreview }) {
  const { text } = useViewer();
  const { sms } = preview;
  return (
    <>
      {preview.subject ? <p className="alarm-preview-subject">{preview.subject}</p> : null}
      <p className="alarm-preview-text">{preview.body}</p>
      {sms ? (
        <p className="small secondary">
          {text('message-templates.sms', {
            places: sms.places,
            encoding: sms.encoding === 'gsm-7' ? 'gsm' : 'unicode',
            segments: sms.segments,
          })}
        </p>
      ) : null}
      {preview.providers.map(({ provider, templateId, parameters }) => (
        <div key={provider} className="small">
          <b>{text(`message-templates.provider.${provider}`)}</b> <code>{templateId}</code>
          <ul>
            {parameters.map(({ name, value }) => (
              <li key={name}>
                <code>{name}</code>: {value}
              </li>
            ))}
          </ul>
        </div>
      ))}
    </>
  );
}

function TestButton({ body }: { body: ReturnType<typeof messageTemplateInput.parse> | null }) {
  const { text } = useViewer();
  const [busy, setBusy] = useState(false);
  async function send() {
    if (!body) return;
    setBusy(true);
    try {
      const { outcome, error, recipient } = await call(testMessageTemplate, { body });
      if (outcome === 'failed') toast('failure', text('message-templates.test.failed', { error }));
      else if (outcome === 'queued') toast('success', text('message-templates.test.queued', { recipient }));
      else if (recipient === '') toast('success', text('message-templates.test.sent-wechat'));
      else toast('success', text('message-templates.test.sent', { recipient }));
    } catch (error) {
      toast('failure', error instanceof Error ? error.message : text('common.failure.unknown'));
    } finally {
      setBusy(false);
    }
  }
  return (
    <div className="alarm-preview-test">
      <Button onClick={() => void send()} disabled={busy || !body}>
        {text('message-templates.test')}
      </Button>
      <span className="small secondary">{text('message-templates.test.units')}</span>
    </div>
  );
}
