import './calibration.css';
import {
  type CalibratedSensor,
  type CalibrationView,
  calibrationFiles,
  certificateFields,
  createCalibration,
  wholeCertificate,
} from '@isotherm/contracts/calibrations';
import dayjs from 'dayjs';
import timezone from 'dayjs/plugin/timezone';
import utc from 'dayjs/plugin/utc';
import { useMemo, useRef } from 'react';
import { z } from 'zod';
import { serverNow } from '../../../shared/api/clock.ts';
import { Attachments } from '../../../shared/attachments/attachments.tsx';
import { dayIn } from '../../../shared/format/time.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { type Text, useText } from '../../../shared/i18n/use-text.ts';
import { AsyncSelectField, type Option } from '../../../shared/ui/form/choice-fields.tsx';
import { DateField } from '../../../shared/ui/form/date-field.tsx';
import { FixedField } from '../../../shared/ui/form/field-frame.tsx';
import { useField } from '../../../shared/ui/form/form-context.ts';
import { FormDrawer, FormSection } from '../../../shared/ui/form/form-drawer.tsx';
import { TextAreaField, TextField } from '../../../shared/ui/form/text-fields.tsx';
import { toast } from '../../../shared/ui/toast.tsx';
import { CALIBRATIONS_KEY, searchSensors, useCalibrationChanges } from './calibrations.queries.ts';
import { draftsOf, type PointDraft, pointsOf, withDraft } from './point-drafts.ts';
import { PointsField } from './points-field.tsx';

dayjs.extend(utc);
dayjs.extend(timezone);

const FAULT_FIELDS = {
  'calibration.taken': 'certificate',
  'calibration.channel': 'points',
  'sensor.not_found': 'sensorId',
};

/** Creates the form schemas. A date of the form means midnight in the user's time zone. */
function schemasFor(zone: string) {
  const points = z.preprocess(
    (drafts: PointDraft[] | undefined) => (Array.isArray(drafts) ? pointsOf(drafts) : undefined),
    certificateFields.points,
  );
  const appliedFrom = z.preprocess(
    (day: string | undefined) => (day ? dayjs.tz(day, zone).toISOString() : null),
    certificateFields.appliedFrom,
  );
  return {
    created: wholeCertificate(
      z.strictObject({
        sensorId: createCalibration.body.shape.sensorId,
        ...certificateFields,
        points,
        appliedFrom,
      }),
    ),
    changed: wholeCertificate(z.strictObject({ ...certificateFields, points, appliedFrom })),
  };
}

/** Returns the label of a sensor in a selection list. */
export function sensorName({ deviceNumber, index, name }: CalibratedSensor, text: Text): string {
  return text('calibration.sensor.name', { device: deviceNumber, index, name });
}

/** Confirms that a certificate was saved. Readings are corrected only if it has correction points. */
function confirmSaved({ points }: Pick<CalibrationView, 'points'>, text: Text) {
  toast('success', text(points.length > 0 ? 'calibration.saved.corrected' : 'calibration.saved'));
}

/** Form that creates or edits a certificate. */
export function CalibrationForm({
  calibration,
  sensor: ofSensor,
  onClose,
}: {
  calibration: CalibrationView | undefined;
  /** Sensor that is selected initially for a new certificate. */
  sensor?: CalibratedSensor;
  onClose: () => void;
}) {
  const { text, zone } = useViewer();
  const changes = useCalibrationChanges();
  const { created, changed } = useMemo(() => schemasFor(zone), [zone]);
  if (!calibration)
    return (
      <FormDrawer
        wide
        title={text('calibration.create.title')}
        submitLabel={text('calibration.create')}
        schema={created}
        initial={{
          note: '',
          points: withDraft([], undefined),
          ...(ofSensor ? { sensorId: ofSensor.id } : {}),
          calibratedOn: dayIn(zone, serverNow()),
        }}
        submit={async (values) => confirmSaved(await changes.create(created.parse(values)), text)}
        faultFields={FAULT_FIELDS}
        onClose={onClose}
      >
        <NewCertificate sensor={ofSensor} />
      </FormDrawer>
    );
  const { sensor, certificate, laboratory, calibratedOn, dueOn, appliedFrom, points, note } = calibration;
  return (
    <FormDrawer
      wide
      title={text('calibration.edit.title')}
      submitLabel={text('common.action.save')}
      schema={changed}
      initial={{
        certificate,
        laboratory,
        calibratedOn,
        dueOn,
        note,
        points: draftsOf(points),
        ...(appliedFrom ? { appliedFrom: dayIn(zone, Date.parse(appliedFrom)) } : {}),
      }}
      submit={async (values) => confirmSaved(await changes.edit(calibration.id, changed.parse(values)), text)}
      faultFields={FAULT_FIELDS}
      onClose={onClose}
    >
      <FormSection title={text('calibration.sensor')}>
        <FixedField label={text('calibration.sensor')} value={sensorName(sensor, text)} />
      </FormSection>
      <Certificate channels={sensor.channels} />
      <Attachments routes={calibrationFiles} recordId={calibration.id} listKey={CALIBRATIONS_KEY} />
    </FormDrawer>
  );
}

/** Form of a new certificate. The sensor is selected first, because it determines the channels. */
function NewCertificate({ sensor: first }: { sensor: CalibratedSensor | undefined }) {
  const { text } = useText();
  const found = useRef(new Map<number, CalibratedSensor>(first ? [[first.id, first]] : []));
  const { value: sensorId } = useField<number>('sensorId');
  const source = useMemo(
    () => ({
      key: ['devices', 'calibrated-sensors'],
      search: async (typed: string): Promise<Option[]> => {
        const sensors = await searchSensors(typed);
        for (const sensor of sensors) found.current.set(sensor.id, sensor);
        return sensors.map((sensor) => ({
          value: sensor.id,
          label: sensorName(sensor, text),
          hint: [sensor.serial, sensor.assetName].filter(Boolean).join(' · '),
        }));
      },
    }),
    [text],
  );
  const channels = sensorId === undefined ? [] : (found.current.get(sensorId)?.channels ?? []);
  return (
    <>
      <FormSection title={text('calibration.sensor')}>
        <AsyncSelectField
          name="sensorId"
          label={text('calibration.sensor')}
          help={text('calibration.sensor.help')}
          source={source}
          chosen={first ? { value: first.id, label: sensorName(first, text) } : undefined}
          clearable={false}
        />
      </FormSection>
      <Certificate channels={channels} />
    </>
  );
}

function Certificate({ channels }: { channels: CalibratedSensor['channels'] }) {
  const { text } = useText();
  return (
    <>
      <FormSection title={text('calibration.certificate.section')}>
        <TextField name="certificate" label={text('calibration.certificate')} />
        <TextField name="laboratory" label={text('calibration.laboratory')} />
        <DateField name="calibratedOn" label={text('calibration.calibrated-on')} />
        <DateField name="dueOn" label={text('calibration.due-on')} help={text('calibration.due-on.help')} />
      </FormSection>
      <FormSection title={text('calibration.points')}>
        <p className="form-wide form-help">{text('calibration.points.help')}</p>
        <PointsField name="points" channels={channels} />
        <DateField
          name="appliedFrom"
          label={text('calibration.applied-from')}
          help={text('calibration.applied-from.help')}
        />
      </FormSection>
      <FormSection title={text('calibration.note')}>
        <TextAreaField name="note" label={text('calibration.note')} />
      </FormSection>
    </>
  );
}
