import * as account from './account.ts';
import * as acknowledgeLinks from './acknowledge-links.ts';
import * as alarmFiles from './alarm-files.ts';
import * as alarmHistory from './alarm-history.ts';
import * as alarmMessages from './alarm-messages.ts';
import * as alarmPolicies from './alarm-policies.ts';
import * as alarmPopups from './alarm-popups.ts';
import * as alarmTests from './alarm-tests.ts';
import * as alarms from './alarms.ts';
import * as alertSettings from './alert-settings.ts';
import * as alertors from './alertors.ts';
import * as announcementGroups from './announcement-groups.ts';
import * as announcements from './announcements.ts';
import * as assetFiles from './asset-files.ts';
import * as assetGroups from './asset-groups.ts';
import * as assetNfc from './asset-nfc.ts';
import * as assetRegistry from './asset-registry.ts';
import * as assetStatus from './asset-status.ts';
import * as assets from './assets.ts';
import * as authorizations from './authorizations.ts';
import * as backTest from './back-test.ts';
import * as backups from './backups.ts';
import * as balanceWarnings from './balance-warnings.ts';
import * as billing from './billing.ts';
import * as brands from './brands.ts';
import * as calibrations from './calibrations.ts';
import * as carScreens from './car-screens.ts';
import * as commands from './commands.ts';
import * as compliance from './compliance.ts';
import * as dailyReviews from './daily-reviews.ts';
import * as dashboard from './dashboard.ts';
import * as deviceBatches from './device-batches.ts';
import * as deviceConnection from './device-connection.ts';
import * as deviceRegistry from './device-registry.ts';
import * as deviceStats from './device-stats.ts';
import * as devices from './devices.ts';
import * as dictionary from './dictionary.ts';
import * as escalationPlans from './escalation-plans.ts';
import * as firmware from './firmware.ts';
import * as floorPlans from './floor-plans.ts';
import * as geofences from './geofences.ts';
import * as handovers from './handovers.ts';
import * as holidays from './holidays.ts';
import * as identity from './identity.ts';
import * as imports from './imports.ts';
import * as invoices from './invoices.ts';
import * as jobs from './jobs.ts';
import * as logs from './logs.ts';
import * as mailbox from './mailbox.ts';
import * as maintenance from './maintenance.ts';
import * as mapOverview from './map-overview.ts';
import * as maps from './maps.ts';
import * as menus from './menus.ts';
import * as messageTemplates from './message-templates.ts';
import * as onCall from './on-call.ts';
import * as operations from './operations.ts';
import * as organizations from './organizations.ts';
import * as packets from './packets.ts';
import * as payloadMappings from './payload-mappings.ts';
import * as paymentProviders from './payment-providers.ts';
import * as premium from './premium.ts';
import * as printHeads from './print-heads.ts';
import * as productProfiles from './product-profiles.ts';
import * as pushApps from './push-apps.ts';
import * as pushServices from './push-services.ts';
import * as receivers from './receivers.ts';
import * as recipientGroups from './recipient-groups.ts';
import * as refunds from './refunds.ts';
import * as registration from './registration.ts';
import * as reminders from './reminders.ts';
import * as renewal from './renewal.ts';
import * as renewalOrders from './renewal-orders.ts';
import * as reportRegister from './report-register.ts';
import * as reportSchedules from './report-schedules.ts';
import * as reports from './reports.ts';
import * as roles from './roles.ts';
import type { RouteContract } from './route.ts';
import * as screens from './screens.ts';
import * as search from './search.ts';
import * as settings from './settings.ts';
import * as sharedReplays from './shared-replays.ts';
import * as smsProviders from './sms-providers.ts';
import * as statements from './statements.ts';
import * as suppressions from './suppressions.ts';
import * as tableReports from './table-reports.ts';
import * as telemetry from './telemetry.ts';
import * as users from './users.ts';
import * as validationStudies from './validation-studies.ts';
import * as verification from './verification.ts';
import * as waybillClients from './waybill-clients.ts';
import * as waybillEpcis from './waybill-epcis.ts';
import * as waybillLinks from './waybill-links.ts';
import * as waybillTrips from './waybill-trips.ts';
import * as waybills from './waybills.ts';
import * as webPush from './web-push.ts';
import * as webcams from './webcams.ts';
import * as wechat from './wechat.ts';

function isRoute(value: unknown): value is RouteContract {
  return typeof value === 'object' && value !== null && 'access' in value && 'path' in value;
}

/** All routes of the API, for the OpenAPI document and for tests that check every route. */
export const ALL_ROUTES: readonly RouteContract[] = [
  account,
  acknowledgeLinks,
  alarmFiles,
  alarmHistory,
  alarmMessages,
  alarmPolicies,
  alarmPopups,
  alarms,
  alarmTests,
  alertors,
  alertSettings,
  announcementGroups,
  announcements,
  assetFiles,
  assetGroups,
  assetNfc,
  assetRegistry,
  assetStatus,
  assets,
  authorizations,
  backTest,
  backups,
  billing,
  brands,
  calibrations,
  commands,
  compliance,
  dailyReviews,
  dashboard,
  deviceBatches,
  deviceConnection,
  deviceRegistry,
  deviceStats,
  devices,
  dictionary,
  floorPlans,
  escalationPlans,
  firmware,
  geofences,
  handovers,
  identity,
  imports,
  logs,
  mailbox,
  maintenance,
  carScreens,
  mapOverview,
  maps,
  sharedReplays,
  menus,
  messageTemplates,
  onCall,
  operations,
  organizations,
  packets,
  payloadMappings,
  holidays,
  paymentProviders,
  printHeads,
  productProfiles,
  receivers,
  recipientGroups,
  invoices,
  jobs,
  premium,
  refunds,
  renewalOrders,
  registration,
  reminders,
  renewal,
  pushApps,
  pushServices,
  reportRegister,
  reportSchedules,
  reports,
  roles,
  screens,
  search,
  settings,
  smsProviders,
  balanceWarnings,
  statements,
  suppressions,
  tableReports,
  telemetry,
  users,
  validationStudies,
  verification,
  waybillClients,
  waybillEpcis,
  waybillLinks,
  waybillTrips,
  waybills,
  webPush,
  webcams,
  wechat,
]
  .flatMap((module) => Object.values(module) as unknown[])
  // The attachment routes of a record are exported as a group (`attachmentRoutes`).
  .flatMap((each) => (isRoute(each) || !each ? [each] : (Object.values(each) as unknown[])))
  .filter(isRoute);
