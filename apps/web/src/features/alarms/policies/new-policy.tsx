import { type AlarmPolicy, type PolicyInput, policyInput } from '@isotherm/contracts/alarm-policies';
import { getProductProfile, type ProductProfile } from '@isotherm/contracts/product-profiles';
import { POLICY_TEMPLATES, type PolicyTemplate, TEMPLATES } from '@isotherm/domain/alarms/policy-templates';
import { policyForProduct } from '@isotherm/domain/waybills/product-profile';
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { OrganizationField } from '../../../shared/access/organization-field.tsx';
import { call } from '../../../shared/api/client.ts';
import { useText } from '../../../shared/i18n/use-text.ts';
import { useTabs } from '../../../shared/tabs/tabs-store.ts';
import { useCrumbTitle } from '../../../shared/tabs/use-crumb-title.ts';
import { useGo } from '../../../shared/tabs/use-go.ts';
import { SwitchField } from '../../../shared/ui/form/choice-fields.tsx';
import { FormPanel } from '../../../shared/ui/form/form-panel.tsx';
import { TextAreaField, TextField } from '../../../shared/ui/form/text-fields.tsx';
import { FailureNotice } from '../../../shared/ui/notice.tsx';
import { PageHead } from '../../../shared/ui/page-head.tsx';
import { PageSkeleton } from '../../../shared/ui/page-skeleton.tsx';
import { toast } from '../../../shared/ui/toast.tsx';
import { useUrlState } from '../../../shared/ui/use-url-state.ts';
import { BackTestField, DefinitionField, POLICY_FAULT_FIELDS } from './definition-field.tsx';
import { usePolicyChanges } from './policies.queries.ts';
import { draftOf, EMPTY_DRAFT } from './policy-draft.ts';

const LIST = '/alarm/policies';
const NEW = `${LIST}/new`;

/** Form for a new policy, empty or with the settings of a template or the limits of a product. */
export function NewPolicy() {
  const [params] = useUrlState();
  const profileId = Number(params.get('profile')) || null;
  const { data, error, refetch } = useQuery({
    queryKey: ['waybills', 'profiles', 'one', profileId],
    queryFn: ({ signal }) => call(getProductProfile, { params: { id: profileId ?? 0 }, signal, quiet: true }),
    enabled: profileId !== null,
  });
  if (profileId === null) return <PolicyForm product={undefined} />;
  if (data) return <PolicyForm product={data} />;
  return error ? <FailureNotice error={error} retry={() => void refetch()} /> : <PageSkeleton />;
}

function PolicyForm({ product }: { product: ProductProfile | undefined }) {
  const { text } = useText();
  const go = useGo();
  const [params] = useUrlState();
  const changes = usePolicyChanges();
  const made = useRef<AlarmPolicy | null>(null);
  const template = POLICY_TEMPLATES.find((name) => name === params.get('template'));
  const [beside, setBeside] = useState<HTMLDivElement | null>(null);
  useCrumbTitle(text('policies.create'));
  return (
    <div className="page">
      <PageHead title={text('policies.create')} {...templateWords(template, text)} />
      <div className="graded-page">
        <FormPanel
          key={template}
          schema={policyInput}
          initial={{
            name: product?.name ?? (template ? text(`policies.template.${template}`) : ''),
            description: product ? text('policies.of-product', { code: product.code }) : '',
            enabled: !template || TEMPLATES[template].enabled !== false,
            definition: (product
              ? draftOf(policyForProduct(product))
              : template
                ? draftOf(TEMPLATES[template])
                : EMPTY_DRAFT) as PolicyInput['definition'],
          }}
          submitLabel={text('policies.create')}
          submitsUnchanged
          faultFields={POLICY_FAULT_FIELDS}
          submit={async (values) => {
            made.current = await changes.create(values as PolicyInput);
          }}
          onDone={() => {
            if (!made.current) return;
            toast('success', text('policies.create.done', { name: made.current.name }));
            go(`${LIST}/${made.current.id}?assign=1`);
            const { tabs, replace } = useTabs.getState();
            replace(tabs.filter(({ path }) => path !== NEW));
          }}
        >
          <TextField name="name" label={text('policies.name')} />
          <OrganizationField label={text('policies.organization')} />
          <SwitchField
            name="enabled"
            label={text('policies.enabled')}
            {...(template && TEMPLATES[template].enabled === false
              ? { help: text('policies.template.disabled') }
              : {})}
          />
          <TextAreaField name="description" label={text('policies.description')} rows={2} />
          <DefinitionField />
          <BackTestField beside={beside} policyId={null} isAssigned={false} />
        </FormPanel>
        <div ref={setBeside} />
      </div>
    </div>
  );
}

function templateWords(template: PolicyTemplate | undefined, text: ReturnType<typeof useText>['text']) {
  if (!template || TEMPLATES[template].sources.length === 0) return {};
  return { purpose: text('policies.template.sources', { sources: TEMPLATES[template].sources.join(', ') }) };
}
