import {
  createFloorPlan,
  editFloorPlan,
  type FloorPlan,
  replaceFloorPlanPicture,
} from '@isotherm/contracts/floor-plans';
import { useRef } from 'react';
import { OrganizationField } from '../../../shared/access/organization-field.tsx';
import { useText } from '../../../shared/i18n/use-text.ts';
import { FormDrawer, FormSection } from '../../../shared/ui/form/form-drawer.tsx';
import { NumberField, TextField } from '../../../shared/ui/form/text-fields.tsx';
import { toast } from '../../../shared/ui/toast.tsx';
import { PictureField } from './picture-field.tsx';
import { usePlanChanges } from './plans.queries.ts';

const FAULT_FIELDS = { 'floor_plan.format': 'file', 'upload.too_large': 'file', 'upload.unreadable': 'file' };

/** Form that adds a plan and then shows it. */
export function PlanCreateForm({
  onMade,
  onClose,
}: {
  onMade: (plan: FloorPlan) => void;
  onClose: () => void;
}) {
  const { text } = useText();
  const changes = usePlanChanges();
  const made = useRef<FloorPlan | null>(null);
  return (
    <FormDrawer
      title={text('assets.plan.create')}
      submitLabel={text('assets.plan.create')}
      schema={createFloorPlan.body}
      initial={{ floor: 0 }}
      submit={async (values) => {
        const plan = await changes.create(values);
        toast('success', text('assets.plan.saved', { name: plan.name }));
        made.current = plan;
      }}
      faultFields={FAULT_FIELDS}
      onClose={onClose}
      onDone={() => made.current && onMade(made.current)}
    >
      <FormSection>
        <PictureField naming />
        <NameAndFloor />
        <OrganizationField wide label={text('users.organization')} />
      </FormSection>
    </FormDrawer>
  );
}

/** Form that renames a plan or changes its floor. */
export function PlanEditForm({ plan, onClose }: { plan: FloorPlan; onClose: () => void }) {
  const { text } = useText();
  const changes = usePlanChanges();
  return (
    <FormDrawer
      title={text('assets.plan.rename.title', { name: plan.name })}
      submitLabel={text('common.action.save')}
      schema={editFloorPlan.body}
      initial={{ name: plan.name, floor: plan.floor }}
      submit={async (values) => {
        const { name } = await changes.edit(plan.id, plan.version, values);
        toast('success', text('assets.plan.saved', { name }));
      }}
      onClose={onClose}
    >
      <FormSection>
        <NameAndFloor />
      </FormSection>
    </FormDrawer>
  );
}

/** Form that replaces the image of a plan and keeps the points. */
export function PlanPictureForm({ plan, onClose }: { plan: FloorPlan; onClose: () => void }) {
  const { text } = useText();
  const changes = usePlanChanges();
  return (
    <FormDrawer
      title={text('assets.plan.replace')}
      submitLabel={text('assets.plan.replace')}
      schema={replaceFloorPlanPicture.body}
      initial={{}}
      submit={async (values) => {
        const { name } = await changes.replacePicture(plan.id, values);
        toast('success', text('assets.plan.saved', { name }));
      }}
      faultFields={FAULT_FIELDS}
      onClose={onClose}
    >
      <FormSection>
        <PictureField />
        <p className="secondary">{text('assets.plan.replace.means')}</p>
      </FormSection>
    </FormDrawer>
  );
}

function NameAndFloor() {
  const { text } = useText();
  return (
    <>
      <TextField name="name" wide label={text('assets.plan.name')} />
      <NumberField name="floor" label={text('assets.plan.floor')} help={text('assets.plan.floor.help')} />
    </>
  );
}
