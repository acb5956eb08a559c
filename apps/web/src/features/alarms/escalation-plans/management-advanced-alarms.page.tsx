import {
  createEscalationPlan,
  deleteEscalationPlan,
  type EscalationPlan,
  type EscalationPlanInput,
  editEscalationPlan,
  escalationPlanInput,
  getEscalationPlan,
  listEscalationPlans,
} from '@isotherm/contracts/escalation-plans';
import { ALARM_LEVELS } from '@isotherm/domain/alarms/alarm-level';
import { useMemo } from 'react';
import { OrganizationField } from '../../../shared/access/organization-field.tsx';
import { call } from '../../../shared/api/client.ts';
import { crudChanges } from '../../../shared/api/crud-changes.ts';
import { levelLabel } from '../../../shared/format/labels.ts';
import { useViewer, type Viewer } from '../../../shared/format/viewer.tsx';
import { useText } from '../../../shared/i18n/use-text.ts';
import { SelectField, SwitchField } from '../../../shared/ui/form/choice-fields.tsx';
import { FormDrawer, FormSection } from '../../../shared/ui/form/form-drawer.tsx';
import { TextAreaField, TextField } from '../../../shared/ui/form/text-fields.tsx';
import { LevelGlyph } from '../../../shared/ui/level-glyph.tsx';
import { pagesOf } from '../../../shared/ui/list/list-source.ts';
import type { ListColumn } from '../../../shared/ui/list/list-types.ts';
import { RecordList } from '../../../shared/ui/list/record-list.tsx';
import { FIRST_STEP, PlanStepsField } from './plan-steps-field.tsx';

const KEY = ['alarms', 'escalation-plans'] as const;
const source = pagesOf(listEscalationPlans);
const useChanges = crudChanges(KEY, {
  create: createEscalationPlan,
  edit: editEscalationPlan,
  remove: deleteEscalationPlan,
});
const load = (id: number, signal: AbortSignal) => call(getEscalationPlan, { params: { id }, signal });
const FAULT_FIELDS = {
  'organization.not_found': 'organizationId',
  'escalation_plan.taken': 'name',
  'escalation_plan.recipient': 'steps',
};

function columnsFor({ text, time }: Viewer): ListColumn<EscalationPlan>[] {
  return [
    {
      key: 'name',
      title: text('escalation-plans.name'),
      sortable: true,
      pinned: true,
      maxWidth: 240,
      render: ({ name }) => name,
    },
    {
      key: 'lowestLevel',
      title: text('escalation-plans.lowest-level'),
      render: ({ lowestLevel }) => (
        <>
          <LevelGlyph level={lowestLevel} /> {levelLabel(lowestLevel, text)}
        </>
      ),
    },
    {
      key: 'steps',
      title: text('escalation-plans.steps'),
      maxWidth: 320,
      render: ({ steps }) =>
        steps
          .map(({ afterMinutes }) => text('escalation-plans.steps.minutes', { minutes: afterMinutes }))
          .join(' → '),
    },
    {
      key: 'enabled',
      title: text('escalation-plans.state'),
      render: ({ enabled }) =>
        text(enabled ? 'escalation-plans.state.enabled' : 'escalation-plans.state.disabled'),
    },
    {
      key: 'organization',
      title: text('escalation-plans.organization'),
      sortable: true,
      maxWidth: 240,
      render: ({ organizationName }) => <span className="secondary">{organizationName}</span>,
    },
    {
      key: 'changedAt',
      title: text('receivers.changed'),
      sortable: true,
      firstOrder: 'desc',
      render: ({ changedAt, changedBy }) => (
        <span className="secondary">{`${time(changedAt, 'date-time')} · ${changedBy}`}</span>
      ),
    },
  ];
}

/** List of the escalation plans, which notify more people when nobody acknowledges an alarm. */
export default function EscalationPlanList() {
  const viewer = useViewer();
  const { text } = viewer;
  const changes = useChanges();
  const columns = useMemo(() => columnsFor(viewer), [viewer]);
  return (
    <RecordList
      name="management-advanced-alarms"
      title={text('menu.management-advanced-alarms')}
      purpose={text('escalation-plans.purpose')}
      permission="management-advanced-alarms:edit"
      param="plan"
      source={source}
      queryKey={KEY}
      load={load}
      columns={columns}
      nameOf={({ name }) => name}
      searchLabel={text('escalation-plans.search')}
      defaultSort={{ sort: 'name', order: 'asc' }}
      words={{
        create: text('escalation-plans.create'),
        edit: text('escalation-plans.edit'),
        remove: text('escalation-plans.delete'),
      }}
      empty={{ title: text('escalation-plans.empty'), reason: text('escalation-plans.empty-reason') }}
      form={(plan, close) => <EscalationPlanForm plan={plan} onClose={close} />}
      removal={{
        title: (name) => text('escalation-plans.delete.title', { name }),
        means: () => text('escalation-plans.delete.means'),
        done: (name) => text('escalation-plans.deleted', { name }),
        run: ({ id }, reason) => changes.remove(id, reason),
      }}
    />
  );
}

function EscalationPlanForm({ plan, onClose }: { plan: EscalationPlan | undefined; onClose: () => void }) {
  const { text } = useText();
  const changes = useChanges();
  return (
    <FormDrawer
      title={text(plan ? 'escalation-plans.edit' : 'escalation-plans.create')}
      submitLabel={text(plan ? 'common.action.save' : 'escalation-plans.create')}
      schema={escalationPlanInput}
      initial={
        plan
          ? initialOf(plan)
          : { enabled: true, lowestLevel: 1, steps: [FIRST_STEP] as EscalationPlanInput['steps'] }
      }
      submit={(values) => (plan ? changes.edit(plan.id, values) : changes.create(values))}
      success={text('escalation-plans.saved')}
      faultFields={FAULT_FIELDS}
      onClose={onClose}
    >
      <FormSection>
        <TextField name="name" label={text('escalation-plans.name')} />
        <OrganizationField
          label={text('escalation-plans.organization')}
          help={text('escalation-plans.organization.help')}
        />
        <SelectField
          name="lowestLevel"
          label={text('escalation-plans.lowest-level')}
          help={text('escalation-plans.lowest-level.help')}
          options={ALARM_LEVELS.map((value) => ({ value, label: levelLabel(value, text) }))}
        />
        <SwitchField name="enabled" label={text('escalation-plans.enabled')} />
        <PlanStepsField />
        <TextAreaField name="description" label={text('escalation-plans.description')} />
      </FormSection>
    </FormDrawer>
  );
}

const initialOf = ({
  organizationId,
  name,
  description,
  enabled,
  lowestLevel,
  steps,
}: EscalationPlan): EscalationPlanInput => ({
  organizationId,
  name,
  description,
  enabled,
  lowestLevel,
  steps,
});
