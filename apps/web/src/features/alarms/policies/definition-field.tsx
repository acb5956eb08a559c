import { suitsRecipients } from '@isotherm/domain/alarms/graded-policy';
import { createPortal } from 'react-dom';
import { labelled } from '../../../shared/i18n/phrases.ts';
import { useText } from '../../../shared/i18n/use-text.ts';
import { useField } from '../../../shared/ui/form/form-context.ts';
import { Icon } from '../../../shared/ui/icon.tsx';
import { AcknowledgementField } from './acknowledgement-field.tsx';
import { BackTestPanel } from './back-test-panel.tsx';
import { ConditionsField } from './conditions-field.tsx';
import { LateField } from './late-field.tsx';
import { type DefinitionDraft, draftFault, EMPTY_DRAFT } from './policy-draft.ts';
import { StepsField } from './steps-field.tsx';

/** Form field for each error code of the server. */
export const POLICY_FAULT_FIELDS = {
  'policy.taken': 'name',
  'policy.recipient': 'definition',
  'policy.fence': 'definition',
  'organization.not_found': 'organizationId',
};

/**
 * Edits conditions and levels as one field, because some checks concern both. `organizationId` is that of the policy; without it, the
 * one that the form has.
 */
export function DefinitionField({ organizationId }: { organizationId?: number }) {
  const { text } = useText();
  const { value: chosenOrganizationId } = useField<number>('organizationId');
  const { value, set, fault } = useField<DefinitionDraft>('definition');
  const draft = value ?? EMPTY_DRAFT;
  const found = fault === undefined ? null : draftFault(draft);
  const noteOf = (row: 'condition' | 'step') =>
    fault !== undefined && (found === null ? row === 'condition' : isAbout(found.code, row, found)) ? (
      <div className="field-fault">
        <Icon name="info" small />
        {fault}
      </div>
    ) : null;
  return (
    <div className="form-wide">
      <section className="panel graded-section">
        <h2>{text('policies.conditions')}</h2>
        <p className="small secondary">{text('policies.conditions.help')}</p>
        <p className="small secondary">
          {labelled(text, text('policies.margin'), text('policies.margin.help'))}
        </p>
        <ConditionsField
          conditions={draft.conditions}
          organizationId={organizationId ?? chosenOrganizationId}
          wrongRow={found && 'condition' in found ? found.condition : null}
          onChange={(conditions) =>
            set({ ...draft, conditions, steps: withoutOrphans(conditions, draft.steps) })
          }
        />
        {noteOf('condition')}
        <label className="row graded-outside">
          <input
            type="checkbox"
            checked={draft.limitIsOutside}
            onChange={(event) => set({ ...draft, limitIsOutside: event.target.checked })}
          />
          {text('policies.limit-outside')}
        </label>
      </section>
      <section className="panel graded-section">
        <h2>{text('policies.steps')}</h2>
        <p className="small secondary">{text('policies.steps.help')}</p>
        <StepsField
          steps={draft.steps}
          recipientType={draft.recipientType}
          conditions={draft.conditions}
          wrongRow={found && 'step' in found ? found.step : null}
          onChange={(steps) => set({ ...draft, steps })}
          onTypeChange={(recipientType) =>
            set({
              ...draft,
              recipientType,
              steps: draft.steps.map((step) => ({
                ...step,
                recipients: [],
                channels: step.channels.filter((channel) => suitsRecipients(channel, recipientType)),
              })),
            })
          }
        />
        {noteOf('step')}
        <NobodyNote steps={draft.steps} />
      </section>
      <LateField
        value={draft.lateNotifications}
        onChange={(lateNotifications) => set({ ...draft, lateNotifications })}
      />
      <AcknowledgementField
        rule={draft.acknowledgement}
        signatureFromLevel={draft.signatureFromLevel}
        onChange={(acknowledgement) => set({ ...draft, acknowledgement })}
        linkLevel={draft.linkLevel}
        linkInSms={draft.linkInSms}
        onLinkChange={(links) => set({ ...draft, ...links })}
        onSignatureChange={(signatureFromLevel) => set({ ...draft, signatureFromLevel })}
      />
    </div>
  );
}

/** Warns that no level of a policy sends a notification. */
export function NobodyNote({ steps }: Pick<DefinitionDraft, 'steps'>) {
  const { text } = useText();
  if (steps.some(({ channels }) => channels.length > 0)) return null;
  return (
    <p className="row small strong">
      <Icon name="info" small />
      {text('policies.steps.nobody')}
    </p>
  );
}

/**
 * Field with the back-test of the draft. It is shown beside the form, so that it stays visible, but is a part
 * of the form.
 */
export function BackTestField({
  beside,
  policyId,
  isAssigned,
}: {
  beside: HTMLElement | null;
  policyId: number | null;
  isAssigned: boolean;
}) {
  const { value, set } = useField<DefinitionDraft>('definition');
  return beside
    ? createPortal(
        <BackTestPanel
          draft={value ?? EMPTY_DRAFT}
          policyId={policyId}
          isAssigned={isAssigned}
          onChange={set}
        />,
        beside,
      )
    : null;
}

function isAbout(code: string, row: 'condition' | 'step', found: object): boolean {
  if (row in found) return true;
  return code === (row === 'step' ? 'no-steps' : 'no-conditions');
}

/**
 * Removes the own limits of levels for quantities that no longer have a condition; the server would refuse
 * them.
 */
function withoutOrphans(
  conditions: DefinitionDraft['conditions'],
  steps: DefinitionDraft['steps'],
): DefinitionDraft['steps'] {
  return steps.map((step) => ({
    ...step,
    limits: step.limits.filter(({ quantity }) => conditions.some((each) => each.quantity === quantity)),
  }));
}
