import { adjustForm, type WaybillDetail, waybillInput } from '@isotherm/contracts/waybills';
import { LANGUAGE_NAMES, LANGUAGES } from '@isotherm/i18n/languages';
import { useMemo } from 'react';
import { OrganizationField } from '../../../shared/access/organization-field.tsx';
import { AssetField } from '../../../shared/assets/asset-field.tsx';
import { useText } from '../../../shared/i18n/use-text.ts';
import { AsyncSelectField, SelectField, SwitchField } from '../../../shared/ui/form/choice-fields.tsx';
import { useField } from '../../../shared/ui/form/form-context.ts';
import { FormDrawer, FormSection } from '../../../shared/ui/form/form-drawer.tsx';
import { MomentField } from '../../../shared/ui/form/moment-field.tsx';
import { NumberField, TextAreaField, TextField } from '../../../shared/ui/form/text-fields.tsx';
import { ClientChoice } from '../clients/client-choice.tsx';
import { GoodsField } from './goods-field.tsx';
import { TripDevicesField } from './trip-devices-field.tsx';
import { driversOf, PRODUCTS, useFenceOptions, useWaybillChanges } from './waybills.queries.ts';

const FAULT_FIELDS = {
  'asset.not_found': 'assetId',
  'organization.not_found': 'organizationId',
  'geofence.not_found': 'arrivalFenceIds',
  'waybill.device_elsewhere': 'deviceIds',
  'waybill.device_gone': 'deviceIds',
  'waybill.device_on_trip': 'deviceIds',
  'waybill.device_unknown': 'deviceIds',
  'profile.not_found': 'profileId',
  'waybill.driver': 'driverId',
  'waybill.limits': 'temperatureHigh',
  'waybill.reason': 'reason',
  'waybill.taken': 'number',
  'waybill.tour_asset': 'assetId',
};

const valuesOf = (waybill: WaybillDetail) => ({
  organizationId: waybill.organizationId,
  number: waybill.number,
  consignorUnit: waybill.consignorUnit,
  consignorAddress: waybill.consignorAddress,
  consignorContact: waybill.consignorContact,
  consignorPhone: waybill.consignorPhone,
  consigneeUnit: waybill.consigneeUnit,
  consigneeAddress: waybill.consigneeAddress,
  consigneeContact: waybill.consigneeContact,
  consigneePhone: waybill.consigneePhone,
  consigneeEmail: waybill.consigneeEmail,
  consigneeLanguage: waybill.consigneeLanguage,
  assetId: waybill.assetId,
  plannedDepartureAt: waybill.plannedDepartureAt,
  plannedDeliveryAt: waybill.plannedDeliveryAt,
  profileId: waybill.profileId,
  temperatureLow: waybill.temperatureLow,
  temperatureHigh: waybill.temperatureHigh,
  preCoolMinutes: waybill.preCoolMinutes,
  goods: waybill.goods,
  departureFenceId: waybill.departureFenceId ?? undefined,
  arrivalFenceIds: waybill.arrivalFenceIds,
  tour: waybill.tour,
  stop: waybill.stop,
  departAtTime: waybill.departAtTime,
  departByButton: waybill.departByButton,
  deliverAtTime: waybill.deliverAtTime,
  deliverByButton: waybill.deliverByButton,
  deviceIds: waybill.deviceIds,
  driverId: waybill.driverId ?? undefined,
  note: waybill.note,
});

/** The driver, of the organisation that is chosen. */
function DriverField({ waybill }: { waybill: WaybillDetail | undefined }) {
  const { text } = useText();
  const { value: organizationId } = useField<number>('organizationId');
  const source = useMemo(() => driversOf(organizationId), [organizationId]);
  return (
    <AsyncSelectField
      name="driverId"
      wide
      label={text('waybills.driver')}
      help={text('waybills.driver.help')}
      source={source}
      chosen={
        waybill?.driverId && waybill.driverName
          ? { value: waybill.driverId, label: waybill.driverName }
          : undefined
      }
      disabled={organizationId === undefined}
    />
  );
}

/** Form that creates a waybill, or adjusts one that has not arrived. */
export function WaybillForm({
  waybill,
  onClose,
  onDone,
}: {
  waybill?: WaybillDetail;
  onClose: () => void;
  onDone: (id: number) => void;
}) {
  const { text, language } = useText();
  const changes = useWaybillChanges();
  const fences = useFenceOptions(waybill);
  const departed = waybill !== undefined && waybill.state !== 'not-shipped';
  let made = waybill?.id ?? 0;
  return (
    <FormDrawer
      wide
      title={waybill ? text('waybills.action.adjust') : text('waybills.create')}
      submitLabel={waybill ? text('common.action.save') : text('waybills.create')}
      schema={departed ? adjustForm : waybillInput}
      initial={waybill ? valuesOf(waybill) : { goods: [], deviceIds: [], consigneeLanguage: language }}
      submit={async (values) => {
        const { reason, ...fields } = adjustForm.parse({ reason: '', ...values });
        const saved = waybill
          ? await changes.adjust(waybill.id, fields, reason)
          : await changes.create(fields);
        made = saved.id;
      }}
      success={text('waybills.saved')}
      faultFields={FAULT_FIELDS}
      onClose={onClose}
      onDone={() => onDone(made)}
    >
      {departed ? (
        <FormSection>
          <TextAreaField name="reason" label={text('waybills.reason')} rows={2} />
        </FormSection>
      ) : null}
      <FormSection title={text('menu.waybill')}>
        <TextField name="number" label={text('waybills.number')} disabled={departed} />
        <OrganizationField label={text('waybills.organization')} disabled={departed} />
        <MomentField name="plannedDepartureAt" label={text('waybills.planned-departure')} />
        <MomentField name="plannedDeliveryAt" label={text('waybills.planned-delivery')} />
        <AssetField
          name="assetId"
          wide
          label={text('waybills.step.asset')}
          chosenName={waybill?.assetName}
          disabled={departed}
        />
        <TripDevicesField waybill={waybill} />
        <DriverField waybill={waybill} />
        <TextField name="tour" label={text('waybills.tour')} help={text('waybills.tour.help')} />
        <NumberField name="stop" label={text('waybills.stop')} help={text('waybills.stop.help')} step={1} />
      </FormSection>
      <FormSection title={text('waybills.automatic')}>
        <SelectField
          name="departureFenceId"
          label={text('waybills.departure-fence')}
          help={text('waybills.departure-fence.help')}
          clearable
          options={fences}
          disabled={departed}
        />
        <SelectField
          name="arrivalFenceIds"
          label={text('waybills.arrival-fences')}
          help={text('waybills.arrival-fences.help')}
          multiple
          options={fences}
        />
        <SwitchField name="departAtTime" label={text('waybills.depart-at-time')} disabled={departed} />
        <SwitchField
          name="deliverAtTime"
          label={text('waybills.deliver-at-time')}
          help={text('waybills.deliver-at-time.help')}
        />
        <SwitchField
          name="departByButton"
          label={text('waybills.depart-by-button')}
          help={text('waybills.depart-by-button.help')}
          disabled={departed}
        />
        <SwitchField
          name="deliverByButton"
          label={text('waybills.deliver-by-button')}
          help={text('waybills.deliver-by-button.help')}
        />
      </FormSection>
      <FormSection title={text('waybills.limits')}>
        <AsyncSelectField
          name="profileId"
          wide
          label={text('waybills.product')}
          help={text('waybills.product.help')}
          source={PRODUCTS}
          chosen={
            waybill?.profileId && waybill.profileName
              ? { value: waybill.profileId, label: waybill.profileName }
              : undefined
          }
          disabled={departed}
        />
        <NumberField
          name="temperatureLow"
          label={text('waybills.temperature-low')}
          help={text('waybills.temperature.help')}
          unit="°C"
          disabled={departed}
        />
        <NumberField
          name="temperatureHigh"
          label={text('waybills.temperature-high')}
          help={text('waybills.temperature.help')}
          unit="°C"
          disabled={departed}
        />
        <NumberField
          name="preCoolMinutes"
          label={text('waybills.pre-cool.required')}
          help={text('waybills.pre-cool.help')}
          unit="min"
          step={5}
          disabled={departed}
        />
      </FormSection>
      {(['consignor', 'consignee'] as const).map((party) => (
        <FormSection key={party} title={text(`waybills.${party}`)}>
          <ClientChoice party={party} />
          <TextField name={`${party}Unit`} label={text(`waybills.${party}`)} />
          <TextField name={`${party}Address`} label={text(`waybills.${party}-address`)} />
          <TextField name={`${party}Contact`} label={text(`waybills.${party}-contact`)} />
          <TextField name={`${party}Phone`} label={text(`waybills.${party}-phone`)} inputMode="tel" />
          {party === 'consignee' ? (
            <>
              <TextField
                name="consigneeEmail"
                label={text('waybills.consignee-email')}
                help={text('waybills.consignee-email.help')}
                inputMode="email"
              />
              <SelectField
                name="consigneeLanguage"
                label={text('waybills.consignee-language')}
                options={LANGUAGES.map((value) => ({ value, label: LANGUAGE_NAMES[value] }))}
              />
            </>
          ) : null}
        </FormSection>
      ))}
      <FormSection title={text('waybills.goods')}>
        <GoodsField />
        <TextAreaField name="note" label={text('waybills.note')} rows={2} />
      </FormSection>
    </FormDrawer>
  );
}
