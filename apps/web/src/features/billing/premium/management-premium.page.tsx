import { activatePremium, listPremium, type OrganizationPremium } from '@isotherm/contracts/premium';
import { PREMIUM_SERVICES, type PremiumService } from '@isotherm/domain/billing/premium';
import { useMemo, useState } from 'react';
import { usePermission } from '../../../shared/access/permissions.ts';
import { useViewer, type Viewer } from '../../../shared/format/viewer.tsx';
import { ConfirmWithReason } from '../../../shared/ui/confirm-dialog.tsx';
import { SelectField } from '../../../shared/ui/form/choice-fields.tsx';
import { DateField } from '../../../shared/ui/form/date-field.tsx';
import { FormDrawer, FormSection } from '../../../shared/ui/form/form-drawer.tsx';
import { NumberField } from '../../../shared/ui/form/text-fields.tsx';
import { ListPage } from '../../../shared/ui/list/list-page.tsx';
import { pagesOf } from '../../../shared/ui/list/list-source.ts';
import type { ListColumn } from '../../../shared/ui/list/list-types.ts';
import { toast } from '../../../shared/ui/toast.tsx';
import { BILLING_KEY, useBillingChanges } from '../billing.queries.ts';

const source = pagesOf(listPremium);
const KEY = [...BILLING_KEY, 'premium'] as const;
type Premium = OrganizationPremium['services'][number];
type Asked =
  | { type: 'activate'; of: OrganizationPremium }
  | { type: 'trial' | 'end'; of: OrganizationPremium; service: PremiumService };

function columnsFor(viewer: Viewer): ListColumn<OrganizationPremium>[] {
  const { text } = viewer;
  return [
    {
      key: 'name',
      title: text('premium.organization'),
      pinned: true,
      sortable: true,
      render: ({ organizationName }) => organizationName,
    },
    ...PREMIUM_SERVICES.map(
      (service): ListColumn<OrganizationPremium> => ({
        key: service,
        title: text(`premium.service.${service}`),
        maxWidth: 320,
        render: ({ services }) => {
          const premium = services.find((each) => each.service === service);
          return premium ? <State premium={premium} viewer={viewer} /> : null;
        },
      }),
    ),
  ];
}

function State({ premium, viewer }: { premium: Premium; viewer: Viewer }) {
  const { text, time } = viewer;
  const { state, until, deviceLimit, inheritedFrom } = premium;
  const day = until === null ? null : time(until, 'date');
  const facts = [
    day === null ? null : text(state === 'ended' ? 'premium.ended-on' : 'premium.until', { day }),
    deviceLimit ? text('premium.devices', { count: deviceLimit }) : null,
    inheritedFrom === null ? null : text('premium.inherited', { name: inheritedFrom }),
  ].filter((fact) => fact !== null);
  return (
    <>
      <span className="tag">{text(`premium.state.${state}`)}</span>
      {facts.length > 0 ? <div className="small secondary">{facts.join(' · ')}</div> : null}
    </>
  );
}

/** List of the premium services of organisations: who has which, until when; trials and activations. */
export default function ManagementPremiumPage() {
  const viewer = useViewer();
  const { text } = viewer;
  const mayTry = usePermission('management-premium:trial');
  const mayActivate = usePermission('management-premium:activate');
  const [asked, setAsked] = useState<Asked | null>(null);
  const columns = useMemo(() => columnsFor(viewer), [viewer]);
  const close = () => setAsked(null);
  const nameOf = (service: PremiumService) => text(`premium.service.${service}`);
  return (
    <>
      <ListPage
        name="management-premium"
        title={text('menu.management-premium')}
        purpose={text('premium.purpose')}
        source={source}
        queryKey={KEY}
        columns={columns}
        rowKey={({ organizationId }) => organizationId}
        rowName={({ organizationName }) => organizationName}
        searchLabel={text('premium.search')}
        defaultSort={{ sort: 'name', order: 'asc' }}
        rowActions={(of) => [
          ...(mayTry
            ? of.services
                .filter((premium) => premium.mayTry && premium.state !== 'active')
                .map(({ service }) => ({
                  key: `trial-${service}`,
                  label: text('premium.trial', { service: nameOf(service) }),
                  onClick: () => setAsked({ type: 'trial', of, service }),
                }))
            : []),
          ...(mayActivate
            ? [
                {
                  key: 'activate',
                  label: text('premium.activate'),
                  onClick: () => setAsked({ type: 'activate', of }),
                },
                ...of.services
                  .filter(({ state, inheritedFrom }) => state === 'active' && inheritedFrom === null)
                  .map(({ service }) => ({
                    key: `end-${service}`,
                    danger: true,
                    label: text('premium.end', { service: nameOf(service) }),
                    onClick: () => setAsked({ type: 'end', of, service }),
                  })),
              ]
            : []),
        ]}
        empty={{ title: text('premium.empty'), reason: text('premium.empty-reason') }}
      />
      {asked?.type === 'activate' ? <Activation of={asked.of} onClose={close} /> : null}
      {asked?.type === 'trial' || asked?.type === 'end' ? (
        <Confirmation asked={asked} name={nameOf(asked.service)} onClose={close} />
      ) : null}
    </>
  );
}

function Confirmation({
  asked: { type, of, service },
  name,
  onClose,
}: {
  asked: Extract<Asked, { service: PremiumService }>;
  name: string;
  onClose: () => void;
}) {
  const { text } = useViewer();
  const changes = useBillingChanges();
  const isTrial = type === 'trial';
  return (
    <ConfirmWithReason
      weight={isTrial ? 'plain' : 'reason'}
      grave={!isTrial}
      title={text(isTrial ? 'premium.trial.title' : 'premium.end.title', { service: name })}
      confirmLabel={isTrial ? text('premium.trial.confirm') : text('premium.end', { service: name })}
      onConfirm={async (reason) => {
        if (isTrial) await changes.tryPremium(of.organizationId, { service });
        else await changes.endPremium(of.organizationId, { service, reason });
        toast('success', text(isTrial ? 'premium.trial.started' : 'premium.ended'));
      }}
      onClose={onClose}
    >
      {text(isTrial ? 'premium.trial.means' : 'premium.end.means', { name: of.organizationName })}
    </ConfirmWithReason>
  );
}

function Activation({ of, onClose }: { of: OrganizationPremium; onClose: () => void }) {
  const { text } = useViewer();
  const changes = useBillingChanges();
  return (
    <FormDrawer
      title={`${text('premium.activate')} · ${of.organizationName}`}
      submitLabel={text('premium.activate')}
      schema={activatePremium.body}
      initial={{ service: 'backup', deviceLimit: null }}
      submit={(values) => changes.activatePremium(of.organizationId, values)}
      success={text('premium.activated')}
      faultFields={{ 'premium.until': 'lastDay' }}
      onClose={onClose}
    >
      <FormSection>
        <SelectField
          name="service"
          label={text('premium.service')}
          options={PREMIUM_SERVICES.map((value) => ({ value, label: text(`premium.service.${value}`) }))}
        />
        <DateField name="lastDay" label={text('premium.last-day')} help={text('premium.last-day.help')} />
        <NumberField
          name="deviceLimit"
          label={text('premium.device-limit')}
          help={text('premium.device-limit.help')}
        />
      </FormSection>
    </FormDrawer>
  );
}
