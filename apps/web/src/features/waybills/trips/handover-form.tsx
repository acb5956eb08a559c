import '../../../shared/ui/form/form.css';
import { type HandoverInput, handoverInput, type Trip } from '@isotherm/contracts/waybill-trips';
import type { PreCoolView } from '@isotherm/contracts/waybills';
import { type HandoverKind, needsRemark, type ReceivedGoods } from '@isotherm/domain/waybills/handover';
import { preCoolWords } from '@isotherm/i18n/pre-cool-words';
import { type FormEvent, useMemo, useState } from 'react';
import { serverNow } from '../../../shared/api/clock.ts';
import { AssetField } from '../../../shared/assets/asset-field.tsx';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { labelled } from '../../../shared/i18n/phrases.ts';
import { useText } from '../../../shared/i18n/use-text.ts';
import { useUnsaved } from '../../../shared/tabs/use-unsaved.ts';
import { Button } from '../../../shared/ui/button.tsx';
import { FormBanner } from '../../../shared/ui/form/form-banner.tsx';
import { FormContext, useField } from '../../../shared/ui/form/form-context.ts';
import { NumberCell } from '../../../shared/ui/form/number-cell.tsx';
import { TextAreaField, TextField } from '../../../shared/ui/form/text-fields.tsx';
import { useForm } from '../../../shared/ui/form/use-form.ts';
import { Icon } from '../../../shared/ui/icon.tsx';
import { newKey, saveHandover } from './handover-outbox.ts';
import { PhotoField } from './photo-field.tsx';
import { SignatureField } from './signature-field.tsx';
import { TripFrame } from './trip-frame.tsx';

/** The form of a departure without the required time in range. */
const UNCOOLED = handoverInput.superRefine(({ preCoolReason }, context) => {
  if (preCoolReason === '')
    context.addIssue({ code: 'custom', path: ['preCoolReason'], message: 'required' });
});

/** Second step of a hand-over: findings, photos and signature. It is saved in the browser, then sent. */
export function HandoverForm({
  trip,
  kind,
  person,
  onBack,
  onSaved,
}: {
  trip: Trip;
  kind: HandoverKind;
  /** Name of the user. */
  person: string;
  onBack: () => void;
  onSaved: (key: string) => void;
}) {
  const { text, time } = useViewer();
  const [photos, setPhotos] = useState<readonly ArrayBuffer[]>([]);
  const isUncooled = kind === 'depart' && trip.preCool != null && trip.preCool.state !== 'ready';
  const initial = useMemo(() => initialOf(trip, kind, person), [trip, kind, person]);
  // The key stays the same if the form is confirmed again after a failure.
  const [key] = useState(newKey);
  const form = useForm({
    schema: isUncooled ? UNCOOLED : handoverInput,
    initial: { ...initial, requestKey: key },
    async submit(values) {
      const { ageMs: _, ...input } = handoverInput.parse(values) as HandoverInput;
      await saveHandover(trip, input, photos).catch(() => {
        throw new Error(text('trips.no-storage'));
      });
    },
  });
  const unsaved = useUnsaved(form.dirty || photos.length > 0, form.reset);
  const signer = kind === 'depart' ? form.values.givenBy : form.values.takenBy;
  const name = typeof signer === 'string' ? signer.trim() : '';
  const isRemarkNeeded = needsRemark(findingsOf(form.values, kind));

  async function confirm(event: FormEvent) {
    event.preventDefault();
    if (!(await form.submit())) return;
    unsaved.settle();
    onSaved(key);
  }

  return (
    <form onSubmit={(event) => void confirm(event)} noValidate>
      <TripFrame
        title={kind === 'reject' ? text('trips.reject') : text('trips.check')}
        step={2}
        onBack={() => unsaved.ask(onBack)}
        actions={
          <Button type="submit" variant="primary" className="grow" disabled={form.busy}>
            {text(`waybills.action.${kind}`)}
          </Button>
        }
      >
        <FormBanner form={form} />
        <FormContext value={form}>
          <p className="secondary">{`${trip.number} · ${trip.consignorUnit} → ${trip.consigneeUnit}`}</p>
          <TextField name="givenBy" label={text('waybills.person')} />
          <TextField name="takenBy" label={text('waybills.person.received')} />
          {kind === 'transship' ? <AssetField name="assetId" label={text('waybills.step.asset')} /> : null}
          {kind === 'deliver' ? <ReceivedField /> : null}
          <YesNo name="sealsIntact" label={text('trips.seals')} />
          <YesNo name="undamaged" label={text('trips.undamaged')} />
          <TextAreaField
            name="remark"
            label={text('waybills.step.note')}
            rows={2}
            {...(isRemarkNeeded ? { help: text('trips.remark.help') } : {})}
          />
          {isUncooled ? (
            <TextAreaField
              name="preCoolReason"
              label={text('waybills.pre-cool.reason')}
              help={preCoolWords(trip.preCool as PreCoolView, false, text)}
              rows={2}
            />
          ) : null}
          <PhotoField photos={photos} onChange={setPhotos} />
          <SignatureField
            signer={name}
            foot={[name, time(serverNow(), 'date-time')].filter(Boolean).join(', ')}
          />
        </FormContext>
      </TripFrame>
    </form>
  );
}

type Received = ReceivedGoods[];

function initialOf(trip: Trip, kind: HandoverKind, person: string) {
  const isFirst = kind === 'depart';
  return {
    kind,
    ageMs: 0,
    givenBy: isFirst ? trip.consignorContact : person,
    takenBy: isFirst ? person : kind === 'transship' ? '' : trip.consigneeContact,
    assetId: null,
    sealsIntact: true,
    undamaged: true,
    received: trip.goods.map((goods) => ({ ...goods, received: kind === 'reject' ? 0 : goods.quantity })),
    remark: '',
    preCoolReason: '',
    signature: { kind: 'drawn' as const, strokes: [] },
  };
}

function findingsOf(values: Readonly<Record<string, unknown>>, kind: HandoverKind) {
  return {
    kind,
    sealsIntact: values.sealsIntact === true,
    undamaged: values.undamaged === true,
    received: (values.received ?? []) as Received,
  };
}

function YesNo({ name, label }: { name: string; label: string }) {
  const { text } = useText();
  const { value, set } = useField<boolean>(name);
  return (
    <fieldset className="trip-choice" aria-label={label}>
      <span>{label}</span>
      <div className="segments">
        {[true, false].map((each) => (
          <button key={String(each)} type="button" aria-pressed={value === each} onClick={() => set(each)}>
            {text(each ? 'trips.yes' : 'trips.no')}
          </button>
        ))}
      </div>
    </fieldset>
  );
}

/** How much of each kind of goods was received: all of it at first. */
function ReceivedField() {
  const { text } = useText();
  const { value = [], set, fault } = useField<Received>('received');
  const change = (row: number, received: number) =>
    set(value.map((goods, each) => (each === row ? { ...goods, received } : goods)));
  if (value.length === 0) return null;
  return (
    <fieldset className="trip-block" aria-label={text('trips.received')}>
      {value.map((goods, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: goods are their row on the waybill.
        <div key={row} className="trip-choice">
          <span>
            <span className="strong">{goods.product}</span>
            <span className="small tertiary trip-address">
              {text('trips.received.of', {
                quantity: [goods.quantity, goods.unit].filter(Boolean).join(' '),
              })}
            </span>
          </span>
          <div className="trip-count">
            <Button
              icon
              aria-label={text('trips.less')}
              disabled={!(goods.received > 0)}
              onClick={() => change(row, Math.max(0, Math.ceil(goods.received) - 1))}
            >
              <Icon name="minus" />
            </Button>
            <NumberCell
              value={goods.received}
              label={labelled(text, text('trips.received'), goods.product)}
              isWrong={fault !== undefined}
              onChange={(typed) => change(row, typed as number)}
            />
            <Button
              icon
              aria-label={text('trips.more')}
              disabled={!(goods.received < goods.quantity)}
              onClick={() => change(row, Math.min(goods.quantity, Math.floor(goods.received) + 1))}
            >
              <Icon name="plus" />
            </Button>
          </div>
        </div>
      ))}
      {fault ? (
        <div className="field-fault" role="alert">
          <Icon name="info" small />
          {fault}
        </div>
      ) : null}
    </fieldset>
  );
}
