import {
  assignPolicy,
  createPolicy,
  listPolicies,
  type PolicyInput,
} from '@isotherm/contracts/alarm-policies';
import { endOwnRulesOfMany } from '@isotherm/contracts/alert-settings';
import { listAlertors } from '@isotherm/contracts/alertors';
import { listAssetGroups } from '@isotherm/contracts/asset-groups';
import { listOnCall } from '@isotherm/contracts/on-call';
import { listReceivers } from '@isotherm/contracts/receivers';
import { listRecipientGroups } from '@isotherm/contracts/recipient-groups';
import type { PolicyCondition, PolicyStep, RecipientType } from '@isotherm/domain/alarms/graded-policy';
import type { AssetKind } from '@isotherm/domain/assets/asset-kind';
import { FLEET_ASSETS } from '../fleet/catalogue.ts';
import { DEMO_ALERTOR } from './alertors.ts';
import type { Recording } from './recording.ts';

const MIN_MS = 60_000;
const HOUR_MS = 60 * MIN_MS;

/** Whom the levels of a policy notify: names of receivers or groups, or of an on-call schedule. */
interface Told {
  type: RecipientType;
  names: readonly string[];
}
const DUTY: Told = { type: 'on-call', names: ['Cold chain duty'] };
const WAREHOUSE: Told = {
  type: 'receivers',
  names: ['Warehouse control room', 'Refrigeration service, Huadong'],
};
const DISPATCH: Told = { type: 'receivers', names: ['Fleet dispatch'] };
const TEAM: Told = { type: 'groups', names: ['Pharmacy team'] };
const QUALITY: Told = { type: 'groups', names: ['Quality and operations'] };

type Step = Pick<PolicyStep, 'level' | 'triggerAfterMs'> & {
  /** Upper limit of the temperature that replaces the one of the policy, °C. */
  highC?: number;
  repeatMs?: number;
  escalateAfterMs?: number;
  instruction?: string;
};
type Target = { organization: true } | { group: string } | { asset: string };

interface Policy {
  organization: string;
  name: string;
  description: string;
  told: Told;
  /** Name of the alertor that shows levels from 3 on. */
  alertor?: string;
  conditions: readonly PolicyCondition[];
  steps: readonly Step[];
  target: Target;
  assetKind: AssetKind | null;
}

const between = (low: number, high: number): PolicyCondition => ({
  quantity: 'temperature',
  low,
  high,
  recoveryMargin: 0.3,
  recoverAfterMs: MIN_MS,
});
const HUMIDITY: PolicyCondition = {
  quantity: 'humidity',
  low: 35,
  high: 75,
  recoveryMargin: 2,
  recoverAfterMs: MIN_MS,
};
const limit = (quantity: 'power' | 'battery', low: number, recoveryMargin: number): PolicyCondition => ({
  quantity,
  low,
  high: null,
  recoveryMargin,
  recoverAfterMs: 0,
});

/** Levels of goods that spoil within hours; level 5 comes early where it is far too warm. */
const urgent = (farHighC: number): readonly Step[] => [
  { level: 3, triggerAfterMs: MIN_MS, escalateAfterMs: 15 * MIN_MS },
  { level: 4, triggerAfterMs: 15 * MIN_MS, repeatMs: 15 * MIN_MS },
  {
    level: 5,
    triggerAfterMs: 4 * MIN_MS,
    highC: farHighC,
    repeatMs: 10 * MIN_MS,
    instruction: 'Move the goods to another refrigerator of the same range and call the pharmacist.',
  },
];
const STEADY: readonly Step[] = [
  { level: 2, triggerAfterMs: MIN_MS },
  { level: 3, triggerAfterMs: 10 * MIN_MS, escalateAfterMs: 30 * MIN_MS },
  { level: 4, triggerAfterMs: HOUR_MS, repeatMs: 30 * MIN_MS },
];

const POLICIES: readonly Policy[] = [
  {
    organization: 'DEMO-HOSPITAL',
    name: 'Vaccine refrigerators 2 to 8 °C',
    description: 'All refrigerators of the hospital, also those that are added later',
    told: DUTY,
    conditions: [between(2, 8)],
    steps: urgent(10),
    target: { organization: true },
    assetKind: 'refrigerator',
  },
  {
    organization: 'DEMO',
    name: 'Vaccine cold boxes 2 to 8 °C',
    description: 'Boxes of the mobile teams',
    told: TEAM,
    conditions: [between(2, 8)],
    steps: STEADY,
    target: { organization: true },
    assetKind: 'cold-box',
  },
  {
    organization: 'DEMO-WAREHOUSE',
    name: 'Cold stores by GSP',
    description: 'Temperature and humidity',
    told: WAREHOUSE,
    alertor: DEMO_ALERTOR.name,
    conditions: [between(2, 8), HUMIDITY],
    steps: STEADY,
    target: { organization: true },
    assetKind: 'cold-store',
  },
  {
    organization: 'DEMO-WAREHOUSE',
    name: 'Controlled room 15 to 25 °C',
    description: 'Medicines at room temperature',
    told: WAREHOUSE,
    conditions: [between(15, 25), HUMIDITY],
    steps: STEADY,
    target: { asset: 'CS-B2' },
    assetKind: null,
  },
  {
    organization: 'DEMO-FLEET',
    name: 'Transport 2 to 8 °C',
    description: 'Trucks and containers',
    told: DISPATCH,
    conditions: [between(2, 8)],
    steps: STEADY,
    target: { organization: true },
    assetKind: null,
  },
  {
    organization: 'DEMO',
    name: 'Blood 2 to 6 °C',
    description: 'Red cells',
    told: DUTY,
    conditions: [between(2, 6)],
    steps: urgent(10),
    target: { group: 'Blood bank' },
    assetKind: null,
  },
  {
    organization: 'DEMO',
    name: 'Frozen goods −25 to −15 °C',
    description: 'Storage and transport',
    told: QUALITY,
    conditions: [between(-25, -15)],
    steps: urgent(-12),
    target: { group: 'Frozen goods' },
    assetKind: null,
  },
  {
    organization: 'DEMO-HOSPITAL',
    name: 'Ultra-low freezer −80 to −60 °C',
    description: 'Samples',
    told: DUTY,
    conditions: [between(-80, -60)],
    steps: urgent(-50),
    target: { asset: 'UL-02' },
    assetKind: null,
  },
  {
    organization: 'DEMO',
    name: 'Mains power off',
    description: '',
    told: QUALITY,
    conditions: [limit('power', 0.5, 0)],
    steps: [{ level: 2, triggerAfterMs: MIN_MS }],
    target: { organization: true },
    assetKind: null,
  },
  {
    organization: 'DEMO',
    name: 'Battery of the logger low',
    description: '',
    told: QUALITY,
    conditions: [limit('battery', 15, 5)],
    steps: [{ level: 1, triggerAfterMs: 0 }],
    target: { organization: true },
    assetKind: null,
  },
  {
    organization: 'DEMO',
    name: 'Devices offline',
    description: '',
    told: QUALITY,
    conditions: [{ quantity: 'contact', low: null, high: null, recoveryMargin: 0, recoverAfterMs: 0 }],
    steps: [{ level: 2, triggerAfterMs: 10 * MIN_MS }],
    target: { organization: true },
    assetKind: null,
  },
];

/** Finds the ids of recipients by their names. */
async function recipientsIn({ client }: Recording) {
  const query = { pageSize: '100' };
  const [receivers, groups, onCall] = await Promise.all([
    client.call(listReceivers, { query }),
    client.call(listRecipientGroups, { query }),
    client.call(listOnCall),
  ]);
  const known: Partial<Record<RecipientType, readonly { id: number; name: string }[]>> = {
    receivers: receivers.items,
    groups: groups.items,
    'on-call': onCall,
  };
  return ({ type, names }: Told): number[] =>
    (known[type] ?? []).filter(({ name }) => names.includes(name)).map(({ id }) => id);
}

/** Level from which alertors show alarms. */
const ALERTOR_LEVEL = 3;

function stepOf(step: Step, { steps }: Policy, recipients: number[], alertors: number[]) {
  const shown = step.level >= ALERTOR_LEVEL ? alertors : [];
  const next = steps[steps.indexOf(step) + 1];
  const hasOwnLimit = step.highC !== undefined;
  return {
    level: step.level,
    triggerAfterMs: step.triggerAfterMs,
    limits: hasOwnLimit ? [{ quantity: 'temperature' as const, low: null, high: step.highC ?? null }] : [],
    recipients,
    channels: shown.length > 0 ? ['email' as const, 'alertor' as const] : ['email' as const],
    alertors: shown,
    repeatMs: step.repeatMs ?? null,
    escalation: step.escalateAfterMs && next ? { afterMs: step.escalateAfterMs, toLevel: next.level } : null,
    instruction: step.instruction ?? '',
  };
}

/**
 * Creates the alarm policies of the demo with their recipients, assigned to organisations, groups and single
 * assets, and ends the rules with which the devices were registered. Those rules judged the history, since
 * a policy applies from its assignment on. From here on, the policies alone decide.
 */
export async function writePolicies(recording: Recording): Promise<void> {
  const { client, organization, asset } = recording;
  const { total } = await client.call(listPolicies, { query: { pageSize: '1' } });
  if (total > 0) return;
  const recipientsOf = await recipientsIn(recording);
  const groups = await client.call(listAssetGroups);
  const alertors = (await client.call(listAlertors)).items;
  const targetOf = ({ target, organization: code }: Policy) => {
    if ('asset' in target) return { kind: 'asset' as const, id: asset(target.asset) };
    if ('organization' in target) return { kind: 'organization' as const, id: organization(code) };
    const group = groups.find(({ name }) => name === target.group);
    if (!group) throw new Error(`no group is called ${target.group}`);
    return { kind: 'asset-group' as const, id: group.id };
  };
  for (const policy of POLICIES) {
    const recipients = recipientsOf(policy.told);
    const shownBy = alertors.filter(({ name }) => name === policy.alertor).map(({ id }) => id);
    const definition: PolicyInput['definition'] = {
      conditions: [...policy.conditions],
      steps: policy.steps.map((step) => stepOf(step, policy, recipients, shownBy)),
      recipientType: policy.told.type,
      limitIsOutside: false,
      // For alarms about goods, an auditor wants to know what was done, so the acknowledgement must say it.
      acknowledgement: { required: ['reason', 'correctiveAction'], fromLevel: 3 },
    };
    const { id } = await client.call(createPolicy, {
      body: {
        organizationId: organization(policy.organization),
        name: policy.name,
        description: policy.description,
        definition,
      },
    });
    await client.call(assignPolicy, {
      path: `/alarm/policy/${id}/assignment`,
      body: { ...targetOf(policy), assetKind: policy.assetKind },
    });
  }
  const ended = await client.call(endOwnRulesOfMany, {
    body: { assetIds: FLEET_ASSETS.map(({ code }) => asset(code)), reason: 'Policies apply from now on' },
  });
  if (ended.fail > 0) throw new Error(`${ended.fail} assets keep the rules with which they were registered`);
}
