import type { CommandBatch } from '@isotherm/contracts/commands';
import { GIVEN_KINDS, type GivenKind } from '@isotherm/domain/devices/command';
import { INDICATOR_NAMES, type Indicator } from '@isotherm/domain/readings/indicator';
import { useEffect, useRef, useState } from 'react';
import { formatSetting } from '../../../shared/format/duration.ts';
import { unitOf } from '../../../shared/format/number.ts';
import { useText } from '../../../shared/i18n/use-text.ts';
import { ConfirmDialog } from '../../../shared/ui/confirm-dialog.tsx';
import { SelectField } from '../../../shared/ui/form/choice-fields.tsx';
import { useField } from '../../../shared/ui/form/form-context.ts';
import { FormDrawer, FormSection } from '../../../shared/ui/form/form-drawer.tsx';
import { NumberField, TextAreaField } from '../../../shared/ui/form/text-fields.tsx';
import { toast } from '../../../shared/ui/toast.tsx';
import { bodyOf, draftOf } from './command-draft.ts';
import { useCommandChanges } from './commands.queries.ts';
import { DevicesField } from './devices-field.tsx';

const SCHEMAS = new Map(GIVEN_KINDS.map((kind) => [kind, draftOf(kind)]));
/** Kinds of commands that stop the measurement. They need a confirmation. */
type GraveKind = Extract<GivenKind, 'reboot' | 'shutdown'>;
const isGrave = (kind: GivenKind): kind is GraveKind => kind === 'reboot' || kind === 'shutdown';

const HOUR_S = 3_600;
const WAITS_S = [300, HOUR_S, 6 * HOUR_S, 24 * HOUR_S, 72 * HOUR_S, 168 * HOUR_S];

interface Asked {
  kind: GraveKind;
  count: number;
  answer: (yes: boolean) => void;
}

/** Form for a new command to several devices. */
export function CommandForm({
  devices,
  onSent,
  onClose,
}: {
  /** Numbers of the devices that are selected initially. */
  devices?: readonly string[];
  onSent: (batch: CommandBatch, unknown: readonly string[]) => void;
  onClose: () => void;
}) {
  const { text } = useText();
  const changes = useCommandChanges();
  const [kind, setKind] = useState<GivenKind>('acquisition-interval');
  const [asked, setAsked] = useState<Asked | null>(null);
  const sent = useRef<Parameters<typeof onSent>>(null);

  const confirmed = (grave: GraveKind, count: number) =>
    new Promise<boolean>((answer) => setAsked({ kind: grave, count, answer }));
  const answer = (yes: boolean) => {
    asked?.answer(yes);
    setAsked(null);
  };

  async function submit(values: unknown): Promise<void> {
    const body = bodyOf(kind, values);
    if (isGrave(kind) && !(await confirmed(kind, body.devices.length)))
      throw new Error(text('commands.not-sent'));
    const { batch, unknown } = await changes.send(body);
    if (!batch) throw new Error(text('commands.unknown'));
    toast('success', text('commands.sent', { count: body.devices.length - unknown.length }));
    sent.current = [batch, unknown];
  }

  return (
    <>
      <FormDrawer
        wide
        title={text('commands.create')}
        submitLabel={text('commands.form.send')}
        schema={SCHEMAS.get(kind) ?? draftOf(kind)}
        initial={{ kind, expiresInS: 24 * HOUR_S, ...(devices ? { devices: [...devices] } : {}) }}
        submit={submit}
        onClose={onClose}
        onDone={() => sent.current && onSent(...sent.current)}
      >
        <FormSection title={text('commands.form.what')}>
          <KindField onKind={setKind} />
          <OrderFields kind={kind} />
        </FormSection>
        <FormSection title={text('commands.form.who')}>
          <DevicesField name="devices" />
          <TextAreaField
            name="numbers"
            label={text('commands.numbers')}
            help={text('commands.numbers.help')}
            rows={4}
          />
          <SelectField
            name="expiresInS"
            label={text('commands.waits')}
            help={text('commands.open-devices')}
            options={WAITS_S.map((seconds) => ({
              value: seconds,
              label: formatSetting(seconds * 1000, text),
            }))}
          />
          <TextAreaField name="note" label={text('commands.note')} rows={2} />
        </FormSection>
      </FormDrawer>
      {asked ? (
        <ConfirmDialog
          grave
          title={text(`commands.${asked.kind}.title`, { count: asked.count })}
          confirmLabel={text('commands.form.send')}
          onConfirm={() => answer(true)}
          onClose={() => answer(false)}
        >
          {text(`commands.${asked.kind}.means`)}
        </ConfirmDialog>
      ) : null}
    </>
  );
}

/**
 * Field for the kind of command. It passes the kind to the form, because the kind determines the other
 * fields.
 */
function KindField({ onKind }: { onKind: (kind: GivenKind) => void }) {
  const { text } = useText();
  const { value } = useField<GivenKind>('kind');
  useEffect(() => {
    if (value) onKind(value);
  }, [value, onKind]);
  return (
    <SelectField
      name="kind"
      label={text('commands.kind')}
      options={GIVEN_KINDS.map((kind) => ({ value: kind, label: text(`commands.kind.${kind}`) }))}
    />
  );
}

function OrderFields({ kind }: { kind: GivenKind }) {
  const { text } = useText();
  const { value: indicator } = useField<Indicator>('indicator');
  const unit = indicator ? unitOf(indicator) : '';
  switch (kind) {
    case 'reboot':
    case 'shutdown':
      return null;
    case 'acquisition-interval':
    case 'upload-interval':
      return (
        <NumberField
          name="seconds"
          label={text('commands.seconds')}
          unit={text('commands.seconds.unit')}
          help={text('commands.seconds.help')}
          step={1}
        />
      );
    case 'offline-standard':
      return (
        <NumberField
          name="minutes"
          label={text('commands.minutes')}
          unit={text('commands.minutes.unit')}
          help={text('commands.minutes.help')}
          step={1}
        />
      );
    case 'alarm-limits':
      return (
        <>
          <NumberField
            name="sensor"
            label={text('commands.sensor')}
            help={text('commands.sensor.help')}
            step={1}
          />
          <SelectField
            name="indicator"
            label={text('commands.indicator')}
            options={INDICATOR_NAMES.map((name) => ({
              value: name,
              label: text(`common.indicator.${name}`),
              hint: unitOf(name),
            }))}
          />
          <NumberField name="low" label={text('commands.low')} unit={unit} />
          <NumberField
            name="high"
            label={text('commands.high')}
            unit={unit}
            help={text('commands.limits.help')}
          />
        </>
      );
  }
}
