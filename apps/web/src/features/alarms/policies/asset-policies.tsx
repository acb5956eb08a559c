import './policies.css';
import type { ChannelPolicy } from '@isotherm/contracts/alarm-policies';
import { id } from '@isotherm/contracts/route';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { z } from 'zod';
import { usePermission } from '../../../shared/access/permissions.ts';
import { useText } from '../../../shared/i18n/use-text.ts';
import { useGo } from '../../../shared/tabs/use-go.ts';
import { BatchReport, type BatchResult, wentWell } from '../../../shared/ui/batch-report.tsx';
import { ConfirmWithReason } from '../../../shared/ui/confirm-dialog.tsx';
import { AsyncSelectField } from '../../../shared/ui/form/choice-fields.tsx';
import { FormDrawer, FormSection } from '../../../shared/ui/form/form-drawer.tsx';
import { Icon } from '../../../shared/ui/icon.tsx';
import { FailureNotice } from '../../../shared/ui/notice.tsx';
import { PermissionButton } from '../../../shared/ui/permission-button.tsx';
import { TableFrame } from '../../../shared/ui/table-frame.tsx';
import { toast } from '../../../shared/ui/toast.tsx';
import { TemplateForm } from '../alert-settings/setting-forms.tsx';
import { AssetTestButton } from '../tests/asset-test.tsx';
import { assetPoliciesQuery, policySource, usePolicyChanges } from './policies.queries.ts';
import { quantityWords } from './policy-words.ts';

/** Longest name of a policy that the contract accepts. */
const LONGEST_NAME = 80;
const choice = z.object({ policyId: id });

/**
 * The policies that are assigned to an asset, which of them apply and why, with a form to assign another
 * one.
 */
export function AssetPolicies({ asset }: { asset: { id: number; name: string; organizationId: number } }) {
  const { text } = useText();
  const sees = usePermission('alarm-policies:view');
  const changes = usePolicyChanges();
  const { data, error, refetch } = useQuery({ ...assetPoliciesQuery(asset.id), enabled: sees });
  const [assigns, setAssigns] = useState(false);
  const [ends, setEnds] = useState(false);
  const [templates, setTemplates] = useState(false);
  const [report, setReport] = useState<BatchResult | null>(null);
  const [adapted, setAdapted] = useState<ChannelPolicy | null>(null);
  if (!sees) return null;
  return (
    <section className="panel graded-section">
      <h2>{text('policies.of-asset')}</h2>
      {error && !data ? <FailureNotice error={error} retry={() => void refetch()} /> : null}
      {data || error ? null : <div className="skeleton skeleton-body" />}
      {data?.length === 0 ? <p className="secondary">{text('policies.of-asset.none')}</p> : null}
      {data && data.length > 0 ? <Reached policies={data} onAdapt={setAdapted} /> : null}
      <div className="row graded-actions">
        <PermissionButton permission="alarm-policies:edit" onClick={() => setAssigns(true)}>
          <Icon name="plus" />
          {text('policies.of-asset.assign')}
        </PermissionButton>
        <PermissionButton permission="alarm-policies:edit" onClick={() => setTemplates(true)}>
          {text('alert-settings.template')}
        </PermissionButton>
        {data?.some(({ state }) => state === 'applies') ? <AssetTestButton asset={asset} /> : null}
        {data?.some(({ state }) => state === 'own-rules') ? (
          <PermissionButton permission="alarm-policies:edit" onClick={() => setEnds(true)}>
            {text('policies.own.end')}
          </PermissionButton>
        ) : null}
      </div>
      {ends ? (
        <ConfirmWithReason
          weight="reason"
          title={text('policies.own.end.title', { name: asset.name })}
          confirmLabel={text('policies.own.end')}
          onConfirm={async (reason) => {
            await changes.endOwnRules(asset.id, reason);
            toast('success', text('policies.own.ended', { name: asset.name }));
          }}
          onClose={() => setEnds(false)}
        >
          <p>{text('policies.own.end.means')}</p>
        </ConfirmWithReason>
      ) : null}
      {templates ? (
        <TemplateForm
          settings={[{ assetId: asset.id }]}
          onDone={(result, sentence) => {
            if (!wentWell(result, sentence)) setReport(result);
          }}
          onClose={() => setTemplates(false)}
        />
      ) : null}
      {report ? <BatchReport result={report} onClose={() => setReport(null)} /> : null}
      {adapted ? <AdaptDialog asset={asset} policy={adapted} onClose={() => setAdapted(null)} /> : null}
      {assigns ? (
        <FormDrawer
          title={text('policies.assign.title', { name: asset.name })}
          submitLabel={text('policies.assign')}
          schema={choice}
          initial={{}}
          submit={({ policyId }) =>
            changes.assign(Number(policyId), { kind: 'asset', id: asset.id, assetKind: null })
          }
          success={text('policies.assign.policy-done', { name: asset.name })}
          faultFields={{ 'policy.target': 'policyId', 'policy.not_found': 'policyId' }}
          onClose={() => setAssigns(false)}
        >
          <FormSection>
            <AsyncSelectField
              name="policyId"
              label={text('policies.of-asset.policy')}
              source={policySource}
            />
          </FormSection>
        </FormDrawer>
      ) : null}
    </section>
  );
}

/** True for another channel with the same name, so that people cannot tell the two apart. */
const isNamesake = (a: ChannelPolicy, b: ChannelPolicy) =>
  a.channelId !== b.channelId && a.channelName === b.channelName;

/**
 * Dialog that copies a policy for one asset, so that its limits can be changed without changing those of
 * other assets.
 */
function AdaptDialog({
  asset,
  policy,
  onClose,
}: {
  asset: { id: number; name: string; organizationId: number };
  policy: ChannelPolicy;
  onClose: () => void;
}) {
  const { text } = useText();
  const go = useGo();
  const changes = usePolicyChanges();
  return (
    <ConfirmWithReason
      weight="plain"
      title={text('alert-settings.adapt.title', { name: asset.name })}
      confirmLabel={text('alert-settings.adapt')}
      onConfirm={async () => {
        const name = text('alert-settings.adapt.name', { policy: policy.policyName, asset: asset.name });
        const made = await changes.copy(policy.policyId, {
          organizationId: asset.organizationId,
          name: name.slice(0, LONGEST_NAME),
        });
        await changes.assign(made.id, { kind: 'asset', id: asset.id, assetKind: null });
        toast('success', text('alert-settings.adapt.done', { name: made.name }));
        go(`/alarm/policies/${made.id}`);
      }}
      onClose={onClose}
    >
      <p>{text('alert-settings.adapt.means')}</p>
    </ConfirmWithReason>
  );
}

function Reached({
  policies,
  onAdapt,
}: {
  policies: readonly ChannelPolicy[];
  onAdapt: (policy: ChannelPolicy) => void;
}) {
  const { text } = useText();
  return (
    <TableFrame label={text('policies.of-asset')}>
      <thead>
        <tr>
          <th scope="col">{text('asset.sensors.channel')}</th>
          <th scope="col">{text('policies.quantity')}</th>
          <th scope="col">{text('policies.of-asset.policy')}</th>
          <th scope="col">{text('policies.assigned')}</th>
          <th scope="col">{text('policies.state')}</th>
        </tr>
      </thead>
      <tbody>
        {policies.map((each) => (
          <tr
            key={`${each.channelId} ${each.quantity} ${each.policyId}`}
            className={each.state === 'applies' ? undefined : 'graded-off'}
          >
            <td>
              {each.channelName}{' '}
              {policies.some((other) => isNamesake(other, each)) ? (
                <span className="small tertiary">{`${each.deviceNumber} · ${each.sensor}`}</span>
              ) : null}
            </td>
            <td>{quantityWords(each.quantity, text)}</td>
            <td className="strong">
              <Link to={`/alarm/policies/${each.policyId}`}>{each.policyName}</Link>
            </td>
            <td>
              {each.target.name} <span className="tag">{text(`policies.target.${each.target.kind}`)}</span>
            </td>
            <td>
              {text(`policies.of-asset.${each.state}`)}{' '}
              {each.state === 'applies' && each.target.kind !== 'asset' ? (
                <PermissionButton
                  permission="alarm-policies:edit"
                  variant="link"
                  onClick={() => onAdapt(each)}
                >
                  {text('alert-settings.adapt')}
                </PermissionButton>
              ) : null}
            </td>
          </tr>
        ))}
      </tbody>
    </TableFrame>
  );
}
