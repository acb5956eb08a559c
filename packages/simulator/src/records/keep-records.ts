import { listAssets } from '@isotherm/contracts/asset-registry';
import { listOrganizations } from '@isotherm/contracts/organizations';
import type { ApiClient } from '../client/api-client.ts';
import { registerAlertors } from './alertors.ts';
import { writeAnnouncements } from './announcements.ts';
import { registerAutomaticWaybills } from './automatic-waybills.ts';
import { recordCertificates } from './certificates.ts';
import { registerClients } from './clients.ts';
import { recordDocuments } from './documents.ts';
import { registerEscalationPlans } from './escalation-plans.ts';
import { drawFloorPlans } from './floor-plans.ts';
import { drawGeofences } from './geofences.ts';
import { groupAssets } from './groups.ts';
import { recordMaintenance } from './maintenance.ts';
import { mapPayloads } from './mappings.ts';
import { registerOnCall } from './on-call.ts';
import { registerPeople } from './people.ts';
import { writePolicies } from './policies.ts';
import { registerProducts } from './products.ts';
import { registerReceivers } from './receivers.ts';
import { rechargeBalances } from './recharges.ts';
import { registerRecipientGroups } from './recipient-groups.ts';
import type { Recording } from './recording.ts';
import { changeStatuses } from './statuses.ts';
import { recordStudies } from './studies.ts';
import { declareSuppressions } from './suppressions.ts';
import { upgradeDevices } from './upgrades.ts';
import { registerWaybills } from './waybills.ts';

const DAY_MS = 86_400_000;

/** Loads the ids and dates that all parts of the demo records need. */
export async function startRecording(
  client: ApiClient,
  { makers, keyOf, startMs, historyDays }: Pick<Recording, 'makers' | 'keyOf' | 'startMs' | 'historyDays'>,
): Promise<Recording> {
  const [organizations, assets] = await Promise.all([
    client.call(listOrganizations),
    client.call(listAssets, { query: { pageSize: '200' } }),
  ]);
  return {
    client,
    organization: byCode(organizations),
    asset: byCode(assets.items),
    day: (offset) => new Date(startMs + offset * DAY_MS).toISOString().slice(0, 10),
    startMs,
    historyDays,
    makers,
    keyOf,
  };
}

/**
 * Creates the demo's records through the API, so that they are validated, added to the audit log and limited
 * to the user's scope. Each part is skipped if it already has any records.
 */
export async function keepRecords(recording: Recording): Promise<void> {
  await Promise.all([
    // The certificates come first, because a study names its certificates, and a reminder lists what is due.
    recordCertificates(recording).then(() => recordStudies(recording)),
    groupAssets(recording),
    registerAlertors(recording),
    drawFloorPlans(recording),
    recordMaintenance(recording),
    recordDocuments(recording),
    registerPeople(recording),
    registerReceivers(recording).then(async () => {
      await registerRecipientGroups(recording);
      await registerOnCall(recording);
      await registerEscalationPlans(recording);
    }),
    upgradeDevices(recording),
    mapPayloads(recording),
    changeStatuses(recording),
    declareSuppressions(recording),
    rechargeBalances(recording),
    registerClients(recording),
    writeAnnouncements(recording),
    // Waybills name products and geofences.
    Promise.all([registerProducts(recording), drawGeofences(recording)]).then(async () => {
      await registerWaybills(recording);
      await registerAutomaticWaybills(recording);
    }),
  ]);
  // Policies name groups, receivers, on-call schedules and alertors, so they come last.
  await writePolicies(recording);
}

function byCode(items: readonly { code: string; id: number }[]): (code: string) => number {
  const ids = new Map(items.map(({ code, id }) => [code, id]));
  return (code) => {
    const id = ids.get(code);
    if (id === undefined) throw new Error(`nothing has the code ${code}`);
    return id;
  };
}
