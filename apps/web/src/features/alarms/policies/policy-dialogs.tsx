import { type AlarmPolicy, assignPolicy, copyPolicy } from '@isotherm/contracts/alarm-policies';
import { id } from '@isotherm/contracts/route';
import { POLICY_TARGETS, type PolicyTarget } from '@isotherm/domain/alarms/policy';
import { ASSET_KINDS, type AssetKind } from '@isotherm/domain/assets/asset-kind';
import { useQuery } from '@tanstack/react-query';
import { OrganizationField } from '../../../shared/access/organization-field.tsx';
import { useOrganizations } from '../../../shared/access/organizations.ts';
import { AssetField } from '../../../shared/assets/asset-field.tsx';
import { ASSET_KIND_LABEL } from '../../../shared/format/labels.ts';
import { useText } from '../../../shared/i18n/use-text.ts';
import { useGo } from '../../../shared/tabs/use-go.ts';
import { ConfirmWithReason } from '../../../shared/ui/confirm-dialog.tsx';
import { AsyncSelectField, SelectField, TreeField } from '../../../shared/ui/form/choice-fields.tsx';
import { useField } from '../../../shared/ui/form/form-context.ts';
import { FormDrawer, FormSection } from '../../../shared/ui/form/form-drawer.tsx';
import { TextField } from '../../../shared/ui/form/text-fields.tsx';
import { useClearedWith } from '../../../shared/ui/form/use-cleared-with.ts';
import { toast } from '../../../shared/ui/toast.tsx';
import {
  deviceSource,
  reachQuery,
  targetChannelsQuery,
  targetGroupsQuery,
  usePolicyChanges,
} from './policies.queries.ts';

export function DeletePolicy({
  policy,
  onDone,
  onClose,
}: {
  policy: AlarmPolicy;
  onDone?: () => void;
  onClose: () => void;
}) {
  const { text } = useText();
  const changes = usePolicyChanges();
  return (
    <ConfirmWithReason
      weight="reason"
      grave
      title={text('policies.delete.title', { name: policy.name })}
      confirmLabel={text('policies.delete')}
      onConfirm={async (reason) => {
        await changes.remove(policy.id, reason);
        toast('success', text('policies.deleted', { name: policy.name }));
        onDone?.();
      }}
      onClose={onClose}
    >
      <p>{text('policies.delete.means', { assets: policy.assets })}</p>
    </ConfirmWithReason>
  );
}

/**
 * Form to copy a policy to the user's own or a subordinate organisation, or under another name (requirements
 * §5).
 */
export function CopyForm({ policy, onClose }: { policy: AlarmPolicy; onClose: () => void }) {
  const { text } = useText();
  const go = useGo();
  const changes = usePolicyChanges();
  return (
    <FormDrawer
      title={text('policies.copy.title', { name: policy.name })}
      submitLabel={text('policies.copy')}
      schema={copyPolicy.body}
      initial={{
        organizationId: policy.organizationId,
        name: text('policies.copy.name', { name: policy.name }).slice(0, 80),
      }}
      submit={async (values) => {
        const made = await changes.copy(policy.id, values as { organizationId: number; name: string });
        toast('success', text('policies.copy.done', { name: made.name }));
        go(`/alarm/policies/${made.id}`);
      }}
      faultFields={{
        'policy.taken': 'name',
        'organization.not_found': 'organizationId',
        'policy.fence': 'organizationId',
      }}
      onClose={onClose}
    >
      <FormSection>
        <TextField name="name" label={text('policies.name')} />
        <OrganizationField label={text('policies.organization')} />
      </FormSection>
    </FormDrawer>
  );
}

/** The asset is only chosen to find a channel of it. */
const assignmentForm = assignPolicy.body.extend({ assetId: id.optional() });

export function AssignForm({ policy, onClose }: { policy: AlarmPolicy; onClose: () => void }) {
  const { text } = useText();
  const changes = usePolicyChanges();
  return (
    <FormDrawer
      title={text('policies.assign.title', { name: policy.name })}
      submitLabel={text('policies.assign')}
      schema={assignmentForm}
      initial={{}}
      submit={(values) =>
        changes.assign(policy.id, {
          kind: values.kind,
          id: Number(values.id),
          assetKind: values.assetKind ?? null,
        })
      }
      success={text('policies.assign.done', { name: policy.name })}
      faultFields={{ 'policy.target': 'id' }}
      onClose={onClose}
    >
      <FormSection>
        <SelectField
          name="kind"
          label={text('policies.assign.kind')}
          options={POLICY_TARGETS.map((value) => ({ value, label: text(`policies.target.${value}`) }))}
        />
        <TargetField policy={policy} />
        <KindField />
        <Reach policy={policy} />
      </FormSection>
    </FormDrawer>
  );
}

/** What the assignment would reach, and a warning if nobody would be notified. */
function Reach({ policy }: { policy: AlarmPolicy }) {
  const { text } = useText();
  const { value: kind } = useField<PolicyTarget['kind']>('kind');
  const { value: target } = useField<number>('id');
  const { value: assetKind } = useField<AssetKind>('assetKind');
  const isChosen = kind !== undefined && target !== undefined;
  const { data } = useQuery({
    ...reachQuery(policy.id, { kind: kind ?? 'asset', id: target ?? 0, assetKind: assetKind ?? null }),
    enabled: isChosen,
  });
  const notifies = policy.definition.steps.some(
    ({ recipients, url, alertors }) => recipients?.length || url || alertors?.length,
  );
  return (
    <div className="form-wide" role="status">
      {data && isChosen ? (
        <p>
          {data.channels === 0
            ? text('policies.assign.reach.none')
            : text('policies.assign.reach', { ...data })}{' '}
          {data.ownRuleChannels > 0
            ? text('policies.assigned.own-rules', { count: data.ownRuleChannels })
            : null}
        </p>
      ) : null}
      {notifies ? null : <p className="strong">{text('policies.assign.nobody')}</p>}
    </div>
  );
}

function TargetField({ policy }: { policy: AlarmPolicy }) {
  const { text } = useText();
  const { value: kind } = useField<PolicyTarget['kind']>('kind');
  const organizations = useOrganizations();
  useClearedWith('id', kind);
  const { data: groups, isPending } = useQuery({ ...targetGroupsQuery, enabled: kind === 'asset-group' });
  const label = text('policies.assign.target');
  if (kind === 'channel') return <ChannelField policy={policy} />;
  if (kind === 'asset') return <AssetField key={kind} name="id" label={label} />;
  if (kind === 'device') return <AsyncSelectField key={kind} name="id" label={label} source={deviceSource} />;
  if (kind === 'asset-group')
    return <TreeField key={kind} name="id" label={label} nodes={groups ?? []} loading={isPending} />;
  // No organisation is preset: a policy for the whole organisation must be a choice.
  if (kind === 'organization') return <TreeField key={kind} name="id" label={label} {...organizations} />;
  return null;
}

/** Fields for a channel: first its asset, then one of its channels with a quantity of the policy. */
function ChannelField({ policy: { definition } }: { policy: AlarmPolicy }) {
  const { text } = useText();
  const { value: assetId } = useField<number>('assetId');
  useClearedWith('id', assetId);
  const { data, isPending } = useQuery({
    ...targetChannelsQuery(assetId ?? 0),
    enabled: assetId !== undefined,
  });
  const isOffered = (indicator: string) =>
    definition.conditions.some(({ quantity }) => quantity === indicator || quantity === 'contact');
  const offered = data?.filter(({ indicator }) => isOffered(indicator)) ?? [];
  return (
    <>
      <AssetField name="assetId" label={text('policies.target.asset')} />
      <SelectField
        name="id"
        label={text('policies.target.channel')}
        disabled={assetId === undefined || isPending}
        {...(data && offered.length === 0 ? { help: text('policies.assign.no-channel') } : {})}
        options={offered.map(({ channelId, name, deviceNumber, sensorIndex }) => ({
          value: channelId,
          label: `${name} · ${deviceNumber}/${sensorIndex}`,
        }))}
      />
    </>
  );
}

/** Field that limits an assignment to one type of assets; for organisations and groups only. */
function KindField() {
  const { text } = useText();
  const { value: kind } = useField<PolicyTarget['kind']>('kind');
  if (kind !== 'organization' && kind !== 'asset-group') return null;
  return (
    <SelectField
      name="assetKind"
      label={text('policies.assign.asset-kind')}
      placeholder={text('policies.assign.asset-kind.any')}
      clearable
      options={ASSET_KINDS.map((value) => ({ value, label: text(ASSET_KIND_LABEL[value]) }))}
    />
  );
}
