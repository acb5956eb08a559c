import '../policies/policies.css';
import { MAX_PLAN_STEPS } from '@isotherm/domain/alarms/escalation-plan';
import {
  type NotificationChannel,
  RECIPIENT_TYPES,
  type RecipientType,
  suitsRecipients,
} from '@isotherm/domain/alarms/graded-policy';
import Select from 'antd/es/select';
import { useText } from '../../../shared/i18n/use-text.ts';
import { Button } from '../../../shared/ui/button.tsx';
import { useField } from '../../../shared/ui/form/form-context.ts';
import { isTab, KeyFrame } from '../../../shared/ui/form/key-frame.tsx';
import { NumberCell } from '../../../shared/ui/form/number-cell.tsx';
import { Icon } from '../../../shared/ui/icon.tsx';
import type { Typed } from '../policies/policy-draft.ts';
import { RecipientsField } from '../policies/recipients-field.tsx';

/** A step during input. */
export interface PlanStepDraft {
  afterMinutes: Typed;
  recipientType: RecipientType;
  recipients: number[];
  channels: NotificationChannel[];
  url: string;
  alertors?: number[];
}

/** Minutes between steps by default. */
const NEXT_MINUTES = 30;

/** The step with which a new plan begins. */
export const FIRST_STEP: PlanStepDraft = {
  afterMinutes: NEXT_MINUTES,
  recipientType: 'receivers',
  recipients: [],
  channels: ['email'],
  url: '',
  alertors: [],
};

/** Form field with the steps of an escalation plan. */
export function PlanStepsField() {
  const { text } = useText();
  const { value, set, fault } = useField<PlanStepDraft[]>('steps');
  const steps = value ?? [];
  const last = steps.at(-1)?.afterMinutes;
  const change = (at: number, changes: Partial<PlanStepDraft>) =>
    set(steps.map((each, index) => (index === at ? { ...each, ...changes } : each)));
  return (
    <div className="form-wide">
      <span className="field-label">{text('escalation-plans.steps')}</span>
      <p className="small secondary">{text('escalation-plans.steps.help')}</p>
      {steps.map((step, at) => (
        <fieldset
          // Steps have no id, and their fields take all values from the form, so the index is a stable key.
          // biome-ignore lint/suspicious/noArrayIndexKey: see above.
          key={at}
          className="graded-told graded-plan-step"
          aria-label={text('escalation-plans.step', { index: at + 1 })}
        >
          <div className="graded-plan-head">
            <span className="strong">{text('escalation-plans.step', { index: at + 1 })}</span>
            <Button
              variant="quiet"
              size="small"
              icon
              aria-label={text('escalation-plans.step.remove', { index: at + 1 })}
              disabled={steps.length === 1}
              onClick={() => set(steps.filter((_, index) => index !== at))}
            >
              <Icon name="bin" />
            </Button>
          </div>
          <div className="graded-cell">
            <span className="field-label" aria-hidden="true">
              {text('escalation-plans.step.after')}
            </span>
            <NumberCell
              value={step.afterMinutes}
              label={text('escalation-plans.step.after')}
              unit={text('policies.step.minutes')}
              onChange={(minutes) => change(at, { afterMinutes: minutes ?? '' })}
            />
          </div>
          <div className="graded-cell">
            <span className="field-label" aria-hidden="true">
              {text('escalation-plans.step.type')}
            </span>
            <KeyFrame take={isTab}>
              <Select<RecipientType>
                className="form-select"
                aria-label={text('escalation-plans.step.type')}
                value={step.recipientType}
                options={RECIPIENT_TYPES.map((type) => ({
                  value: type,
                  label: text(`policies.recipient-type.${type}`),
                }))}
                onChange={(recipientType) =>
                  change(at, {
                    recipientType,
                    recipients: [],
                    channels: step.channels.filter((channel) => suitsRecipients(channel, recipientType)),
                  })
                }
              />
            </KeyFrame>
          </div>
          <RecipientsField
            step={{ ...step, alertors: step.alertors ?? [], repeatMs: null }}
            type={step.recipientType}
            repeats={false}
            onChange={({ repeatMs: _, ...changes }) => change(at, changes)}
          />
        </fieldset>
      ))}
      {fault ? (
        <div className="field-fault">
          <Icon name="info" small />
          {fault}
        </div>
      ) : null}
      <Button
        size="small"
        disabled={steps.length >= MAX_PLAN_STEPS}
        onClick={() =>
          set([
            ...steps,
            { ...FIRST_STEP, afterMinutes: (typeof last === 'number' ? last : 0) + NEXT_MINUTES },
          ])
        }
      >
        <Icon name="plus" />
        {text('escalation-plans.step.add')}
      </Button>
    </div>
  );
}
