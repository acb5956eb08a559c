import './policies.css';
import {
  type AlarmPolicy,
  editPolicy,
  type PolicyAssignment,
  type PolicyInput,
} from '@isotherm/contracts/alarm-policies';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useParams } from 'react-router';
import { usePermission } from '../../../shared/access/permissions.ts';
import { ASSET_KIND_LABEL } from '../../../shared/format/labels.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { labelled, listed } from '../../../shared/i18n/phrases.ts';
import { useText } from '../../../shared/i18n/use-text.ts';
import { useCrumbTitle } from '../../../shared/tabs/use-crumb-title.ts';
import { useGo } from '../../../shared/tabs/use-go.ts';
import { Button } from '../../../shared/ui/button.tsx';
import { ConfirmDialog } from '../../../shared/ui/confirm-dialog.tsx';
import { SwitchField } from '../../../shared/ui/form/choice-fields.tsx';
import { FormPanel } from '../../../shared/ui/form/form-panel.tsx';
import { TextAreaField, TextField } from '../../../shared/ui/form/text-fields.tsx';
import { Icon } from '../../../shared/ui/icon.tsx';
import { LevelGlyph } from '../../../shared/ui/level-glyph.tsx';
import { FailureNotice } from '../../../shared/ui/notice.tsx';
import { PageHead } from '../../../shared/ui/page-head.tsx';
import { PageSkeleton } from '../../../shared/ui/page-skeleton.tsx';
import { PermissionButton } from '../../../shared/ui/permission-button.tsx';
import { toast } from '../../../shared/ui/toast.tsx';
import { useUrlState } from '../../../shared/ui/use-url-state.ts';
import { acknowledgementWords, signatureWords } from './acknowledgement-field.tsx';
import { BackTestPanel } from './back-test-panel.tsx';
import { BackTestField, DefinitionField, NobodyNote, POLICY_FAULT_FIELDS } from './definition-field.tsx';
import { EscalationWords } from './escalation-field.tsx';
import { linkWords } from './link-fields.tsx';
import { NewPolicy } from './new-policy.tsx';
import { assignmentsQuery, policyQuery, usePolicyChanges } from './policies.queries.ts';
import { AssignForm, CopyForm, DeletePolicy } from './policy-dialogs.tsx';
import { draftOf, NOBODY } from './policy-draft.ts';
import { conditionWords, delayWords } from './policy-words.ts';
import { PushKey } from './push-key.tsx';
import { ToldWords } from './recipients-field.tsx';
import { Ladder } from './steps-field.tsx';

const LIST = '/alarm/policies';

/** Page of one policy: its conditions, its levels and its assignments. */
export default function PolicyPage() {
  const { id = '' } = useParams();
  return id === 'new' ? <NewPolicy /> : <StoredPolicy id={Number(id)} />;
}

function StoredPolicy({ id }: { id: number }) {
  const { data, error, refetch } = useQuery(policyQuery(id));
  useCrumbTitle(data?.name);
  if (data) return <Loaded policy={data} />;
  return error ? <FailureNotice error={error} retry={() => void refetch()} /> : <PageSkeleton />;
}

function Loaded({ policy }: { policy: AlarmPolicy }) {
  const { text, time } = useViewer();
  const go = useGo();
  const mayEdit = usePermission('alarm-policies:edit');
  const changes = usePolicyChanges();
  const [asked, setAsked] = useState<'delete' | 'copy' | null>(null);
  const [beside, setBeside] = useState<HTMLDivElement | null>(null);
  const isAssigned = policy.targets > 0;
  const initial = useMemo(
    () => ({
      name: policy.name,
      description: policy.description,
      enabled: policy.enabled,
      definition: draftOf(policy.definition) as PolicyInput['definition'],
    }),
    [policy],
  );
  const used = listed(text, [
    text('policies.used.assets', { count: policy.assets }),
    text('policies.used.devices', { count: policy.devices }),
    text('policies.used.channels', { count: policy.channels }),
  ]);
  return (
    <div className="page">
      <PageHead title={policy.name} purpose={`${policy.organizationName} · ${used}`}>
        <PermissionButton permission="alarm-policies:edit" onClick={() => setAsked('copy')}>
          {text('policies.copy')}
        </PermissionButton>
        <PermissionButton permission="alarm-policies:edit" onClick={() => setAsked('delete')}>
          {text('policies.delete')}
        </PermissionButton>
      </PageHead>
      <div className="graded-page">
        {mayEdit ? (
          <FormPanel
            schema={editPolicy.body.shape.policy}
            initial={initial}
            submitLabel={text('common.action.save')}
            faultFields={POLICY_FAULT_FIELDS}
            submit={async (values) => {
              await changes.edit(policy.id, policy.version, values as Omit<PolicyInput, 'organizationId'>);
              toast('success', text('policies.saved'));
            }}
          >
            <TextField name="name" label={text('policies.name')} />
            <SwitchField name="enabled" label={text('policies.enabled')} />
            <TextAreaField name="description" label={text('policies.description')} rows={2} />
            <DefinitionField organizationId={policy.organizationId} />
            <BackTestField beside={beside} policyId={policy.id} isAssigned={isAssigned} />
          </FormPanel>
        ) : (
          <DefinitionView policy={policy} />
        )}
        <div>
          {mayEdit ? (
            <div ref={setBeside} className="graded-beside" />
          ) : (
            <BackTestPanel draft={draftOf(policy.definition)} policyId={policy.id} isAssigned={isAssigned} />
          )}
          <Assignments policy={policy} />
          {mayEdit && policy.definition.steps.some(({ channels }) => channels?.includes('url-push')) ? (
            <PushKey policy={policy} />
          ) : null}
          <p className="small tertiary">
            {labelled(
              text,
              text('policies.changed'),
              `${time(policy.changedAt, 'date-time')} · ${policy.changedBy}`,
            )}
          </p>
        </div>
      </div>
      {asked === 'delete' ? (
        <DeletePolicy policy={policy} onDone={() => go(LIST)} onClose={() => setAsked(null)} />
      ) : null}
      {asked === 'copy' ? <CopyForm policy={policy} onClose={() => setAsked(null)} /> : null}
    </div>
  );
}

/** The definition as text, for users without permission to edit. */
function DefinitionView({ policy: { definition, description, enabled, fences } }: { policy: AlarmPolicy }) {
  const { text } = useText();
  const draft = draftOf(definition);
  return (
    <div>
      <section className="panel graded-section">
        <h2>{text('policies.conditions')}</h2>
        <p className="secondary">{description}</p>
        <ul className="graded-targets">
          {definition.conditions.map((condition, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: conditions of a stored policy keep their order.
            <li key={at}>{conditionWords(condition, text, fences)}</li>
          ))}
        </ul>
        {enabled ? null : <span className="tag">{text('policies.state.disabled')}</span>}
      </section>
      <section className="panel graded-section">
        <h2>{text('policies.steps')}</h2>
        <Ladder steps={draft.steps} />
        <ul className="graded-targets">
          {definition.steps.map(({ level, triggerAfterMs, limits }, at) => (
            <li key={level}>
              <LevelGlyph level={level} />
              <div>
                <div>{delayWords(triggerAfterMs, text)}</div>
                <ToldWords step={draft.steps[at] ?? NOBODY} type={draft.recipientType} />
                <EscalationWords escalation={draft.steps[at]?.escalation ?? null} />
                <div className="secondary">{draft.steps[at]?.instruction}</div>
              </div>
              <span className="secondary">{limits.map((own) => conditionWords(own, text)).join(' · ')}</span>
            </li>
          ))}
        </ul>
        <NobodyNote steps={draft.steps} />
        <p className="small secondary">
          {labelled(text, text('policies.late'), text(`policies.late.${draft.lateNotifications}`))}
        </p>
        <p className="small secondary">
          {acknowledgementWords(draft.acknowledgement, text)} {signatureWords(draft.signatureFromLevel, text)}{' '}
          {linkWords(draft.linkLevel, text)}
        </p>
      </section>
    </div>
  );
}

function Assignments({ policy }: { policy: AlarmPolicy }) {
  const { text, time } = useViewer();
  const [params, change] = useUrlState();
  const mayEdit = usePermission('alarm-policies:edit');
  const changes = usePolicyChanges();
  const { data, error, refetch } = useQuery(assignmentsQuery(policy.id));
  const [ended, setEnded] = useState<PolicyAssignment | null>(null);
  return (
    <section className="panel graded-section">
      <h2>{text('policies.assigned')}</h2>
      <p className="small secondary">{text('policies.assigned.means')}</p>
      {error && !data ? <FailureNotice error={error} retry={() => void refetch()} /> : null}
      {data?.length === 0 ? <p className="strong">{text('policies.assigned.none')}</p> : null}
      {data && data.length > 0 && policy.enabled && policy.channels === 0 ? (
        <p className="strong">{text('policies.used.overridden')}</p>
      ) : null}
      <ul className="graded-targets">
        {data?.map((each) => (
          <li key={each.id}>
            <div>
              <span className="strong">{each.name}</span>{' '}
              <span className="small tertiary">
                {[
                  text(`policies.target.${each.kind}`),
                  ...(each.assetKind ? [text(ASSET_KIND_LABEL[each.assetKind])] : []),
                  time(each.since, 'date'),
                  each.assignedBy,
                ].join(' · ')}
              </span>
              {each.ownRuleChannels > 0 ? (
                <p className="small">
                  {text('policies.assigned.own-rules', { count: each.ownRuleChannels })}
                </p>
              ) : null}
            </div>
            {mayEdit ? (
              <Button
                variant="quiet"
                size="small"
                icon
                aria-label={text('policies.unassign', { name: each.name })}
                onClick={() => setEnded(each)}
              >
                <Icon name="close" />
              </Button>
            ) : null}
          </li>
        ))}
      </ul>
      <PermissionButton
        permission="alarm-policies:edit"
        variant={data?.length === 0 ? 'primary' : 'secondary'}
        onClick={() => change({ assign: 1 }, 'push')}
      >
        <Icon name="plus" />
        {text('policies.assign')}
      </PermissionButton>
      {params.get('assign') && mayEdit ? (
        <AssignForm policy={policy} onClose={() => change({ assign: null })} />
      ) : null}
      {ended ? (
        <ConfirmDialog
          title={text('policies.unassign.title', { name: ended.name })}
          confirmLabel={text('policies.unassign', { name: ended.name })}
          onConfirm={async () => {
            await changes.unassign(policy.id, ended.id);
            setEnded(null);
            toast('success', text('policies.unassign.done', { name: ended.name }));
          }}
          onClose={() => setEnded(null)}
        >
          <p>{text('policies.unassign.means')}</p>
        </ConfirmDialog>
      ) : null}
    </section>
  );
}
