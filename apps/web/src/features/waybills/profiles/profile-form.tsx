import { type ProductProfile, profileInput } from '@isotherm/contracts/product-profiles';
import { DEFAULT_ACTIVATION_KJ } from '@isotherm/domain/readings/mean-kinetic';
import { OrganizationField } from '../../../shared/access/organization-field.tsx';
import { useText } from '../../../shared/i18n/use-text.ts';
import { SwitchField } from '../../../shared/ui/form/choice-fields.tsx';
import { FormDrawer, FormSection } from '../../../shared/ui/form/form-drawer.tsx';
import { NumberField, TextAreaField, TextField } from '../../../shared/ui/form/text-fields.tsx';
import { BudgetField } from './budget-field.tsx';
import { useProfileChanges } from './profiles.queries.ts';

const FAULT_FIELDS = { 'organization.not_found': 'organizationId', 'profile.taken': 'code' };

const valuesOf = (profile: ProductProfile) => ({
  organizationId: profile.organizationId,
  name: profile.name,
  code: profile.code,
  temperatureLow: profile.temperatureLow,
  temperatureHigh: profile.temperatureHigh,
  humidityLow: profile.humidityLow,
  humidityHigh: profile.humidityHigh,
  budget: profile.budget,
  mktLimit: profile.mktLimit,
  activationKj: profile.activationKj,
  preCoolMinutes: profile.preCoolMinutes,
  note: profile.note,
  shared: profile.shared,
  enabled: profile.enabled,
});

/** Form that creates or edits a product profile. */
export function ProfileForm({
  profile,
  onClose,
}: {
  profile: ProductProfile | undefined;
  onClose: () => void;
}) {
  const { text } = useText();
  const changes = useProfileChanges();
  return (
    <FormDrawer
      wide
      title={text(profile ? 'profiles.edit' : 'profiles.create')}
      submitLabel={text(profile ? 'common.action.save' : 'profiles.create')}
      schema={profileInput}
      initial={
        profile
          ? valuesOf(profile)
          : { activationKj: DEFAULT_ACTIVATION_KJ, shared: true, enabled: true, budget: [] }
      }
      submit={(values) => {
        const whole = profileInput.parse(values);
        return profile ? changes.edit(profile.id, whole) : changes.create(whole);
      }}
      success={text('profiles.saved')}
      faultFields={FAULT_FIELDS}
      onClose={onClose}
    >
      <FormSection title={text('profiles.product')}>
        <TextField name="name" label={text('profiles.name')} />
        <TextField name="code" label={text('profiles.code')} help={text('profiles.code.help')} />
        <OrganizationField label={text('profiles.organization')} />
        <SwitchField name="shared" label={text('profiles.shared')} help={text('profiles.shared.help')} />
        <SwitchField name="enabled" label={text('profiles.enabled')} help={text('profiles.enabled.help')} />
        <TextAreaField name="note" label={text('profiles.note')} rows={2} />
      </FormSection>
      <FormSection title={text('profiles.limits')}>
        <NumberField name="temperatureLow" label={text('profiles.temperature-low')} unit="°C" />
        <NumberField name="temperatureHigh" label={text('profiles.temperature-high')} unit="°C" />
        <NumberField name="humidityLow" label={text('profiles.humidity-low')} unit="%RH" step={1} />
        <NumberField name="humidityHigh" label={text('profiles.humidity-high')} unit="%RH" step={1} />
      </FormSection>
      <FormSection title={text('profiles.transport')}>
        <NumberField
          name="preCoolMinutes"
          label={text('profiles.pre-cool')}
          help={text('profiles.pre-cool.help')}
          unit="min"
          step={5}
        />
      </FormSection>
      <FormSection title={text('profiles.budget')}>
        <BudgetField />
      </FormSection>
      <FormSection title={text('profiles.mkt')}>
        <NumberField
          name="mktLimit"
          label={text('profiles.mkt-limit')}
          help={text('profiles.mkt-limit.help')}
          unit="°C"
        />
        <NumberField
          name="activationKj"
          label={text('profiles.activation')}
          help={text('profiles.activation.help')}
          unit="kJ/mol"
        />
      </FormSection>
    </FormDrawer>
  );
}
