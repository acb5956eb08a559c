import { grantInput, listGrants, type RechargeGrant } from '@isotherm/contracts/billing';
import { COMMODITIES } from '@isotherm/domain/billing/ledger';
import { useMemo, useState } from 'react';
import { OrganizationField } from '../../shared/access/organization-field.tsx';
import { usePermission } from '../../shared/access/permissions.ts';
import { integer } from '../../shared/format/number.ts';
import { useViewer, type Viewer } from '../../shared/format/viewer.tsx';
import { ConfirmWithReason } from '../../shared/ui/confirm-dialog.tsx';
import { SelectField } from '../../shared/ui/form/choice-fields.tsx';
import { FormDrawer, FormSection } from '../../shared/ui/form/form-drawer.tsx';
import { NumberField, TextAreaField } from '../../shared/ui/form/text-fields.tsx';
import { Icon } from '../../shared/ui/icon.tsx';
import { ListPage } from '../../shared/ui/list/list-page.tsx';
import { pagesOf } from '../../shared/ui/list/list-source.ts';
import type { ListColumn, ListFilter } from '../../shared/ui/list/list-types.ts';
import { PermissionButton } from '../../shared/ui/permission-button.tsx';
import { toast } from '../../shared/ui/toast.tsx';
import { useUrlState } from '../../shared/ui/use-url-state.ts';
import { BILLING_KEY, useBillingChanges } from './billing.queries.ts';

const EDIT = 'recharge-background:edit';
const source = pagesOf(listGrants);
const KEY = [...BILLING_KEY, 'grants'] as const;
const STATES = ['pending', 'approved', 'rejected'] as const;
const FAULT_FIELDS = { 'organization.not_found': 'organizationId', 'billing.shared': 'organizationId' };

function columnsFor({ text, time, language }: Viewer): ListColumn<RechargeGrant>[] {
  return [
    {
      key: 'organization',
      title: text('billing.organization'),
      pinned: true,
      maxWidth: 240,
      render: ({ organizationName }) => <span className="strong">{organizationName}</span>,
    },
    {
      key: 'units',
      title: text('billing.units'),
      align: 'end',
      render: ({ units }) => <span className="number">{integer(language, units)}</span>,
    },
    {
      key: 'commodity',
      title: text('billing.commodity'),
      render: ({ commodity }) => text(`billing.commodity.${commodity}`),
    },
    { key: 'reason', title: text('billing.grant.reason'), maxWidth: 320, render: ({ reason }) => reason },
    {
      key: 'state',
      title: text('billing.state'),
      render: ({ state }) => <span className="tag">{text(`billing.grant.state.${state}`)}</span>,
    },
    {
      key: 'createdAt',
      title: text('billing.grant.requested'),
      sortable: true,
      firstOrder: 'desc',
      render: ({ createdAt, createdBy }) => (
        <span className="secondary">{`${time(createdAt, 'date-time')} · ${createdBy}`}</span>
      ),
    },
    {
      key: 'decided',
      title: text('billing.grant.decided'),
      render: ({ decidedAt, decidedBy }) =>
        decidedAt ? (
          <span className="secondary">{`${time(decidedAt, 'date-time')} · ${decidedBy}`}</span>
        ) : null,
    },
  ];
}

/** List of recharges without payment, which one operator asks for and a second one approves. */
export default function RechargeBackgroundPage() {
  const viewer = useViewer();
  const { text, language } = viewer;
  const [params, change] = useUrlState();
  const changes = useBillingChanges();
  const mayApprove = usePermission('recharge-background:approve');
  const [decision, setDecision] = useState<{ grant: RechargeGrant; approve: boolean } | null>(null);
  const columns = useMemo(() => columnsFor(viewer), [viewer]);
  const filters = useMemo<ListFilter[]>(
    () => [
      {
        keys: ['state'],
        label: text('billing.state'),
        options: STATES.map((value) => ({ value, label: text(`billing.grant.state.${value}`) })),
      },
    ],
    [text],
  );
  const create = (
    <PermissionButton permission={EDIT} variant="primary" onClick={() => change({ new: 1 }, 'push')}>
      <Icon name="plus" />
      {text('billing.grant.create')}
    </PermissionButton>
  );
  return (
    <>
      <ListPage
        name="recharge-background"
        title={text('menu.recharge-background')}
        purpose={text('billing.grant.purpose')}
        source={source}
        queryKey={KEY}
        columns={columns}
        rowKey={({ id }) => id}
        rowName={({ organizationName }) => organizationName}
        searchLabel={text('billing.grant.search')}
        defaultSort={{ sort: 'createdAt', order: 'desc' }}
        filters={filters}
        actions={create}
        rowActions={(grant) =>
          mayApprove && grant.mayDecide
            ? [
                {
                  key: 'approve',
                  label: text('billing.grant.approve'),
                  onClick: () => setDecision({ grant, approve: true }),
                },
                {
                  key: 'reject',
                  danger: true,
                  label: text('billing.grant.reject'),
                  onClick: () => setDecision({ grant, approve: false }),
                },
              ]
            : []
        }
        empty={{
          title: text('billing.grant.empty'),
          reason: text('billing.grant.empty-reason'),
          action: create,
        }}
      />
      {params.get('new') ? <GrantForm onClose={() => change({ new: null })} /> : null}
      {decision ? (
        <ConfirmWithReason
          weight="plain"
          title={
            decision.approve
              ? text('billing.grant.approve.title', {
                  units: integer(language, decision.grant.units),
                  commodity: text(`billing.commodity.${decision.grant.commodity}`),
                  name: decision.grant.organizationName,
                })
              : text('billing.grant.reject.title', { name: decision.grant.organizationName })
          }
          confirmLabel={text(decision.approve ? 'billing.grant.approve' : 'billing.grant.reject')}
          grave={!decision.approve}
          onConfirm={async () => {
            await changes.decide(decision.grant.id, { approve: decision.approve });
            toast('success', text(decision.approve ? 'billing.grant.approved' : 'billing.grant.rejected'));
          }}
          onClose={() => setDecision(null)}
        >
          {decision.grant.reason}
        </ConfirmWithReason>
      ) : null}
    </>
  );
}

function GrantForm({ onClose }: { onClose: () => void }) {
  const { text } = useViewer();
  const changes = useBillingChanges();
  return (
    <FormDrawer
      title={text('billing.grant.create')}
      submitLabel={text('billing.grant.create')}
      schema={grantInput}
      initial={{ commodity: 'sms' }}
      submit={(values) => changes.grant(values)}
      success={text('billing.grant.created')}
      faultFields={FAULT_FIELDS}
      onClose={onClose}
    >
      <FormSection title={text('billing.order')}>
        <OrganizationField label={text('billing.organization')} />
        <SelectField
          name="commodity"
          label={text('billing.commodity')}
          options={COMMODITIES.map((value) => ({ value, label: text(`billing.commodity.${value}`) }))}
        />
        <NumberField name="units" label={text('billing.units')} />
        <TextAreaField name="reason" label={text('billing.grant.reason')} />
      </FormSection>
    </FormDrawer>
  );
}
