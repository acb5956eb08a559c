import type { AlertSetting } from '@isotherm/contracts/alert-settings';
import { label, reason } from '@isotherm/contracts/fields';
import { id } from '@isotherm/contracts/route';
import { POLICY_TEMPLATES, type PolicyTemplate, TEMPLATES } from '@isotherm/domain/alarms/policy-templates';
import { z } from 'zod';
import { OrganizationField } from '../../../shared/access/organization-field.tsx';
import { AssetField } from '../../../shared/assets/asset-field.tsx';
import { useText } from '../../../shared/i18n/use-text.ts';
import type { BatchResult } from '../../../shared/ui/batch-report.tsx';
import { AsyncSelectField, SelectField, SwitchField } from '../../../shared/ui/form/choice-fields.tsx';
import { useField } from '../../../shared/ui/form/form-context.ts';
import { FormDrawer, FormSection } from '../../../shared/ui/form/form-drawer.tsx';
import { TextAreaField, TextField } from '../../../shared/ui/form/text-fields.tsx';
import { policySource, usePolicyChanges } from '../policies/policies.queries.ts';
import { conditionWords } from '../policies/policy-words.ts';
import { useAlertSettingChanges } from './alert-settings.queries.ts';

/** What the forms use of a channel. */
type Target = Pick<AlertSetting, 'assetId' | 'channelId'>;

interface FormProps {
  settings: readonly Target[];
  /** Receives the result and the sentence that says that everything succeeded. */
  onDone: (result: BatchResult, sentence: string) => void;
  onClose: () => void;
}

export const assetsOf = (settings: readonly Pick<Target, 'assetId'>[]): number[] => [
  ...new Set(settings.map(({ assetId }) => assetId)),
];

const assignForm = z.strictObject({
  policyId: id,
  to: z.enum(['assets', 'channels']),
  endOwn: z.boolean().default(false),
});

/** Form that assigns a policy to the selected channels or to their assets. */
export function AssignForm({ settings, onDone, onClose }: FormProps) {
  const { text } = useText();
  const changes = useAlertSettingChanges();
  const assets = assetsOf(settings);
  return (
    <FormDrawer
      title={text('alert-settings.assign')}
      submitLabel={text('policies.assign')}
      schema={assignForm}
      initial={{ to: 'assets', endOwn: false }}
      submit={async ({ policyId, to, endOwn }) => {
        const result = await changes.assign({
          policyId: Number(policyId),
          targets:
            to === 'assets'
              ? assets.map((each) => ({ kind: 'asset' as const, id: each }))
              : settings.map(({ channelId }) => ({ kind: 'channel' as const, id: channelId })),
          endOwn: to === 'assets' && endOwn === true,
        });
        onDone(result, text('alert-settings.assign.done', { count: result.success }));
      }}
      faultFields={{ 'policy.not_found': 'policyId' }}
      onClose={onClose}
    >
      <FormSection>
        <AsyncSelectField wide name="policyId" label={text('alert-settings.policy')} source={policySource} />
        <SelectField
          wide
          name="to"
          label={text('alert-settings.assign.to')}
          options={[
            { value: 'assets', label: text('alert-settings.assign.to.assets', { count: assets.length }) },
            {
              value: 'channels',
              label: text('alert-settings.assign.to.channels', { count: settings.length }),
            },
          ]}
        />
        <EndOwnField />
      </FormSection>
    </FormDrawer>
  );
}

/** Switch that ends direct rules; they can be ended for whole assets only. */
function EndOwnField() {
  const { text } = useText();
  const { value: to } = useField<string>('to');
  if (to === 'channels') return null;
  return (
    <SwitchField
      wide
      name="endOwn"
      label={text('alert-settings.assign.end-own')}
      help={text('alert-settings.assign.end-own.help')}
    />
  );
}

const templateForm = z.strictObject({
  template: z.enum(POLICY_TEMPLATES),
  name: label(80),
  organizationId: id,
  endOwn: z.boolean().default(false),
});

/** Form that creates a policy from a template and assigns it to the assets of the selected channels. */
export function TemplateForm({
  settings,
  onDone,
  onClose,
}: Omit<FormProps, 'settings'> & { settings: readonly Pick<Target, 'assetId'>[] }) {
  const { text } = useText();
  const policies = usePolicyChanges();
  const changes = useAlertSettingChanges();
  return (
    <FormDrawer
      title={text('alert-settings.template')}
      submitLabel={text('alert-settings.template')}
      schema={templateForm}
      initial={{ endOwn: false }}
      submit={async ({ template, name, organizationId, endOwn }) => {
        const { conditions, steps, limitIsOutside } = TEMPLATES[template as PolicyTemplate];
        const made = await policies.create({
          organizationId: Number(organizationId),
          name,
          description: '',
          enabled: true,
          definition: { conditions: [...conditions], steps: [...steps], limitIsOutside } as never,
        });
        const result = await changes.assign({
          policyId: made.id,
          targets: assetsOf(settings).map((each) => ({ kind: 'asset' as const, id: each })),
          endOwn: endOwn === true,
        });
        onDone(result, text('alert-settings.template.created', { name: made.name }));
      }}
      faultFields={{ 'policy.taken': 'name', 'organization.not_found': 'organizationId' }}
      onClose={onClose}
    >
      <FormSection>
        <SelectField
          wide
          name="template"
          label={text('alert-settings.template.choose')}
          options={POLICY_TEMPLATES.map((value) => ({
            value,
            label: text(`policies.template.${value}`),
            hint: TEMPLATES[value].conditions.map((condition) => conditionWords(condition, text)).join(' · '),
          }))}
        />
        <TextField wide name="name" label={text('alert-settings.template.name')} />
        <OrganizationField wide label={text('policies.organization')} />
        <EndOwnField />
      </FormSection>
    </FormDrawer>
  );
}

const copyForm = z.strictObject({ fromId: id, reason });

/** Form that copies the settings of another asset to the assets of the selected channels. */
export function CopySettingsForm({ settings, onDone, onClose }: FormProps) {
  const { text } = useText();
  const changes = useAlertSettingChanges();
  return (
    <FormDrawer
      title={text('alert-settings.copy')}
      submitLabel={text('alert-settings.copy')}
      schema={copyForm}
      initial={{}}
      submit={async ({ fromId, reason: why }) => {
        const result = await changes.copy(Number(fromId), { assetIds: assetsOf(settings), reason: why });
        onDone(
          result,
          text('alert-settings.copy.counts', { sensors: result.sensors, devices: result.devices }),
        );
      }}
      faultFields={{ 'asset.not_found': 'fromId', 'alert_settings.nothing': 'fromId' }}
      onClose={onClose}
    >
      <FormSection>
        <p className="form-wide secondary">{text('alert-settings.copy.means')}</p>
        <AssetField name="fromId" label={text('alert-settings.copy.from')} wide />
        <TextAreaField name="reason" label={text('common.confirm.reason')} />
      </FormSection>
    </FormDrawer>
  );
}
