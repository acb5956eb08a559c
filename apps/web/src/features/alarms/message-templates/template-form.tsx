import './message-templates.css';
import {
  getInheritedTemplate,
  type MessageTemplateInput,
  type MessageTemplateView,
  messageTemplateInput,
} from '@isotherm/contracts/message-templates';
import {
  kindsOfChannel,
  providersOf,
  TEMPLATE_CHANNELS,
  TEMPLATE_KINDS,
  type TemplateChannel,
  type TemplateKind,
  type TemplateProvider,
  type TemplateVariable,
  variablesFor,
} from '@isotherm/domain/notifications/message-template';
import { LANGUAGE_NAMES, LANGUAGES } from '@isotherm/i18n/languages';
import { useQuery } from '@tanstack/react-query';
import { type FocusEvent, useEffect, useRef } from 'react';
import { OrganizationField } from '../../../shared/access/organization-field.tsx';
import { call } from '../../../shared/api/client.ts';
import { currentLanguage } from '../../../shared/i18n/language.ts';
import { useText } from '../../../shared/i18n/use-text.ts';
import { Button } from '../../../shared/ui/button.tsx';
import { SelectField } from '../../../shared/ui/form/choice-fields.tsx';
import { useFormContext } from '../../../shared/ui/form/form-context.ts';
import { FormDrawer, FormSection } from '../../../shared/ui/form/form-drawer.tsx';
import { TextAreaField, TextField } from '../../../shared/ui/form/text-fields.tsx';
import { TemplatePreviewPanel } from './template-preview.tsx';

const FAULT_FIELDS = {
  'organization.not_found': 'organizationId',
  'message_template.taken': 'kind',
};

/** Form of a notification text, with a preview that follows the input. */
export function TemplateForm({
  template,
  save,
  onClose,
}: {
  template: MessageTemplateView | undefined;
  save: (values: MessageTemplateInput) => Promise<void>;
  onClose: () => void;
}) {
  const { text } = useText();
  return (
    <FormDrawer
      wide
      title={text(template ? 'message-templates.edit' : 'message-templates.create')}
      submitLabel={text('common.action.save')}
      schema={messageTemplateInput}
      initial={
        template ? initialOf(template) : { channel: 'email', kind: 'alarm', language: currentLanguage() }
      }
      submit={(values) => save(messageTemplateInput.parse(values))}
      success={text('message-templates.saved')}
      faultFields={FAULT_FIELDS}
      onClose={onClose}
    >
      <Fields isNew={template === undefined} />
    </FormDrawer>
  );
}

/** Values of the form that decide which text is edited. */
interface Use {
  organizationId: number | undefined;
  channel: TemplateChannel;
  kind: TemplateKind;
  language: MessageTemplateInput['language'];
}

function Fields({ isNew }: { isNew: boolean }) {
  const { text } = useText();
  const { values } = useFormContext();
  const use = values as unknown as Use;
  const { channel, kind } = use;
  const { inherited, insert } = useInherited(use, isNew);
  const inserting = useInsertion();
  return (
    <>
      <FormSection>
        <SelectField
          name="channel"
          label={text('message-templates.channel')}
          options={TEMPLATE_CHANNELS.map((value) => ({ value, label: text(`alarms.message.${value}`) }))}
        />
        <SelectField
          name="kind"
          label={text('message-templates.kind')}
          options={TEMPLATE_KINDS.map((value) => ({
            value,
            label: text(`message-templates.kind.${value}`),
            disabled: !kindsOfChannel(channel).includes(value),
          }))}
        />
        <SelectField
          name="language"
          label={text('message-templates.language')}
          options={LANGUAGES.map((value) => ({ value, label: LANGUAGE_NAMES[value] }))}
        />
        <OrganizationField
          label={text('message-templates.organization')}
          help={text('message-templates.organization.help')}
        />
      </FormSection>
      <fieldset
        className="alarm-text-fields"
        aria-label={text('message-templates.edit')}
        onFocus={inserting.onFocus}
      >
        <FormSection>
          {channel === 'email' ? (
            <div className="form-wide" data-part="subject">
              <TextField name="subject" label={text('message-templates.subject')} />
            </div>
          ) : null}
          <div className="form-wide" data-part="body">
            <TextAreaField
              name="body"
              label={text('message-templates.body')}
              rows={channel === 'email' ? 10 : 3}
              help={channel === 'sms' ? text('message-templates.sms.link') : undefined}
            />
          </div>
          {inherited ? (
            <div className="form-wide">
              <Button size="small" onClick={insert}>
                {text(
                  inherited.organizationName === null
                    ? 'message-templates.use-built-in.default'
                    : 'message-templates.use-built-in',
                )}
              </Button>
            </div>
          ) : null}
        </FormSection>
        <TemplatePreviewPanel />
        {kindsOfChannel(channel).includes(kind) ? (
          <Variables names={variablesFor(channel, kind)} onChosen={inserting.insert} />
        ) : null}
        {providersOf(channel).map((provider) => (
          <ProviderFields key={provider} provider={provider} />
        ))}
      </fieldset>
    </>
  );
}

/** Fields of a provider's template. */
function ProviderFields({ provider }: { provider: TemplateProvider }) {
  const { text } = useText();
  return (
    <FormSection title={text(`message-templates.provider.${provider}`)}>
      <TextField
        name={`${provider}Template`}
        label={text(`message-templates.provider.${provider}.id`)}
        help={text('message-templates.provider.id.help')}
      />
      <div className="form-wide" data-part={`${provider}Parameters`}>
        <TextAreaField
          name={`${provider}Parameters`}
          label={text('message-templates.provider.parameters')}
          help={text('message-templates.provider.parameters.help')}
        />
      </div>
    </FormSection>
  );
}

function Variables({
  names,
  onChosen,
}: {
  names: readonly TemplateVariable[];
  onChosen: (name: TemplateVariable) => void;
}) {
  const { text } = useText();
  return (
    <fieldset className="form-wide alarm-variables">
      <legend className="field-label">{text('message-templates.variables')}</legend>
      <p className="small secondary">{text('message-templates.variables.help')}</p>
      <ul>
        {names.map((name) => (
          <li key={name}>
            <Button size="small" onClick={() => onChosen(name)}>
              {`{{${name}}}`}
            </Button>
            <span className="small secondary">{text(`message-templates.variable.${name}`)}</span>
          </li>
        ))}
      </ul>
    </fieldset>
  );
}

/** The text that applies without an own one. A new text starts with it, until somebody has changed it. */
function useInherited({ organizationId, channel, kind, language }: Use, isNew: boolean) {
  const { values, set, prefill } = useFormContext();
  const isKnown = organizationId !== undefined && kindsOfChannel(channel).includes(kind);
  const { data } = useQuery({
    queryKey: ['alarms', 'message-templates', 'inherited', organizationId, channel, kind, language],
    queryFn: ({ signal }) =>
      call(getInheritedTemplate, {
        query: { organizationId: organizationId ?? 0, channel, kind, language },
        signal,
      }),
    enabled: isKnown,
  });
  const inserted = useRef<{ subject: string; body: string } | null>(null);
  const shown = useRef(values);
  shown.current = values;
  useEffect(() => {
    if (!isNew || !data) return;
    const before = inserted.current;
    inserted.current = data;
    if (before === null) {
      prefill('subject', data.subject);
      prefill('body', data.body);
    } else if (shown.current.subject === before.subject && shown.current.body === before.body) {
      set('subject', data.subject);
      set('body', data.body);
    }
  }, [data, isNew, prefill, set]);
  return {
    inherited: isKnown ? data : undefined,
    insert() {
      if (!data) return;
      set('subject', data.subject);
      set('body', data.body);
    },
  };
}

/** Inserts variables where the cursor was last; at the end of the text if it was nowhere. */
function useInsertion() {
  const { values, set } = useFormContext();
  const last = useRef<{ part: string; field: HTMLInputElement | HTMLTextAreaElement } | null>(null);
  return {
    onFocus({ target }: FocusEvent) {
      const part = target.closest<HTMLElement>('[data-part]')?.dataset.part;
      if (part && (target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement))
        last.current = { part, field: target };
    },
    insert(name: TemplateVariable) {
      const written = `{{${name}}}`;
      const { part, field } = last.current?.field.isConnected ? last.current : { part: 'body', field: null };
      const whole = String(values[part] ?? '');
      const start = field?.selectionStart ?? whole.length;
      const end = field?.selectionEnd ?? whole.length;
      set(part, whole.slice(0, start) + written + whole.slice(end));
      if (!field) return;
      field.focus();
      // After the field has its new value, which moves the cursor to the end.
      requestAnimationFrame(() => {
        field.setSelectionRange(start + written.length, start + written.length);
      });
    },
  };
}

const initialOf = ({
  id: _,
  organizationName: __,
  changedBy: ___,
  changedAt: ____,
  ...fields
}: MessageTemplateView) => fields;
