import type { RouteContract } from '@isotherm/contracts/route';
import { ALL_ROUTES } from '@isotherm/contracts/routes';
import { can } from '@isotherm/domain/access/can';
import { PUBLIC, SIGNED_IN } from '@isotherm/domain/access/permissions';
import { SYSTEM_ROLES } from '@isotherm/domain/access/roles';
import type { SystemRole } from '@isotherm/domain/access/system-roles';

/**
 * Kind of a route's target, which decides who may access it in addition to the permission (decision 11).
 * Every contract has a line in `SCOPES`; permission-matrix.db.test.ts tests each, and docs/permissions.md is
 * generated from it.
 */
export type Scope =
  /** The route needs no session. */
  | 'public'
  /** The target is the caller's own account, or public information. */
  | 'own'
  /** There is one target for the whole installation, so only the permission decides. */
  | 'installation'
  /** The target is a list limited to own and subordinate organisations. */
  | 'list'
  /** Like `list`, but the list includes records of superior organisations. */
  | 'inherited-list'
  /** The target is a record of own and subordinate organisations; other records are not found. */
  | 'object'
  /** Like `object`, but records of superior organisations are found, too. */
  | 'inherited-object'
  /** The targets are several records: those outside the scope are counted as failed. */
  | 'several';

export const SCOPES: Readonly<Record<string, Scope>> = {
  beginSecondFactor: 'own',
  changeTelephone: 'own',
  confirmSecondFactor: 'own',
  editAccount: 'own',
  endOtherSessions: 'own',
  endSecondFactor: 'own',
  getAccount: 'own',
  getTimeZone: 'own',
  listOwnSessions: 'own',
  renewRecoveryCodes: 'own',
  setLanguage: 'own',
  setTimeZone: 'own',
  uploadAvatar: 'own',
  getAlarm: 'object',
  getAlarmCourse: 'object',
  listAssignees: 'object',
  fixAlarm: 'object',
  endAlarm: 'object',
  endAlarms: 'several',
  assignAlarm: 'object',
  commentAlarm: 'object',
  listPolicies: 'list',
  listPolicyRecipients: 'list',
  listBackTestChannels: 'list',
  backTestPolicy: 'object',
  getPolicy: 'object',
  getPushKey: 'object',
  createPolicy: 'object',
  editPolicy: 'object',
  deletePolicy: 'object',
  copyPolicy: 'object',
  listAssignments: 'object',
  assignPolicy: 'object',
  unassignPolicy: 'object',
  explainAssetPolicies: 'object',
  listAlertSettings: 'list',
  assignPolicyToMany: 'object',
  endOwnRulesOfMany: 'several',
  copyAlertSettings: 'object',
  endOwnRules: 'object',
  acknowledgeAlarm: 'object',
  acknowledgeAlarms: 'several',
  exportAlarms: 'list',
  exportAlarmHistory: 'list',
  listAlarmHistory: 'list',
  analyzeAlarms: 'list',
  listAlarms: 'list',
  listAlarmsSince: 'list',
  getAsset: 'object',
  listEarlierChannels: 'object',
  createAsset: 'object',
  deleteAsset: 'object',
  editAsset: 'object',
  getAssetRecord: 'object',
  listAssets: 'list',
  restoreAsset: 'object',
  bindNfcTag: 'object',
  findNfcTag: 'object',
  listNfcTags: 'list',
  unbindNfcTag: 'object',
  createFloorPlan: 'object',
  deleteFloorPlan: 'object',
  editFloorPlan: 'object',
  getFloorPlan: 'object',
  listFloorPlanValues: 'object',
  listFloorPlans: 'list',
  listPlaceable: 'object',
  placeOnFloorPlan: 'object',
  readFloorPlanPicture: 'object',
  replaceFloorPlanPicture: 'object',
  changeGroupMembers: 'object',
  createAssetGroup: 'object',
  deleteAssetGroup: 'object',
  editAssetGroup: 'object',
  getAssetTree: 'list',
  listAssetGroups: 'list',
  addFileVersion: 'object',
  deleteAssetFile: 'object',
  getAssetFile: 'object',
  listAssetFiles: 'list',
  readAssetFile: 'object',
  uploadAssetFile: 'object',
  beginWebcamSession: 'object',
  createWebcam: 'object',
  createWebcamAccount: 'object',
  deleteWebcam: 'object',
  deleteWebcamAccount: 'object',
  editWebcam: 'object',
  editWebcamAccount: 'object',
  endWebcamSession: 'object',
  getWebcam: 'object',
  listWebcamAccounts: 'list',
  listWebcamSnapshots: 'list',
  listWebcams: 'list',
  offerToWebcam: 'object',
  readWebcamFrames: 'object',
  readWebcamSnapshot: 'object',
  readWebcamStream: 'object',
  takeWebcamSnapshot: 'object',
  testWebcam: 'object',
  changeAssetStatus: 'object',
  listStatusChanges: 'list',
  listMonitorCards: 'list',
  listSparklines: 'list',
  createAuthorization: 'object',
  listAuthorizations: 'list',
  redeemAuthorization: 'public',
  renewAuthorization: 'object',
  revokeAuthorization: 'object',
  whoAmI: 'own',
  createBrand: 'installation',
  deleteBrand: 'installation',
  editBrand: 'installation',
  listBrands: 'installation',
  removeBrandLogo: 'installation',
  uploadBrandLogo: 'installation',
  exportAssets: 'list',
  getAssetTemplate: 'own',
  importAssets: 'own',
  addOnCallChange: 'object',
  createOnCall: 'object',
  deleteOnCall: 'object',
  editOnCall: 'object',
  listOnCall: 'list',
  listOnCallCandidates: 'list',
  removeOnCallChange: 'object',
  getHandover: 'object',
  listHandovers: 'list',
  previewHandover: 'object',
  signHandover: 'object',
  takeHandover: 'object',
  createSuppression: 'object',
  editSuppression: 'object',
  endSuppression: 'object',
  getSuppression: 'object',
  listSuppressions: 'list',
  createEscalationPlan: 'object',
  deleteEscalationPlan: 'object',
  editEscalationPlan: 'object',
  getEscalationPlan: 'object',
  getEscalationPushKey: 'object',
  listEscalationPlans: 'list',
  createReceiver: 'object',
  createRecipientGroup: 'object',
  deleteRecipientGroup: 'object',
  editRecipientGroup: 'object',
  exportRecipientGroups: 'list',
  getRecipientGroup: 'object',
  listGroupCandidates: 'list',
  listRecipientGroups: 'list',
  deleteReceiver: 'object',
  editReceiver: 'object',
  exportReceivers: 'list',
  getReceiver: 'object',
  getReceiverTemplate: 'own',
  importReceivers: 'own',
  listReceivers: 'list',
  createReminder: 'object',
  deleteReminder: 'object',
  editReminder: 'object',
  getReminder: 'object',
  listDue: 'list',
  listReminders: 'list',
  editRenewalPolicy: 'installation',
  createValidationStudy: 'object',
  createVerifierUnit: 'object',
  deleteValidationStudy: 'object',
  deleteVerifierUnit: 'object',
  editValidationStudy: 'object',
  editVerifierUnit: 'object',
  getValidationStudy: 'object',
  judgeValidationStudy: 'object',
  listStudyChannels: 'object',
  listValidationStudies: 'list',
  listVerifierUnits: 'list',
  reportValidationStudy: 'object',
  createMaintenance: 'object',
  deleteMaintenance: 'object',
  editMaintenance: 'object',
  getMaintenance: 'object',
  listMaintenance: 'list',
  addAlarmFile: 'object',
  deleteAlarmFile: 'object',
  listAlarmFiles: 'object',
  readAlarmFile: 'object',
  addMaintenanceFile: 'object',
  deleteMaintenanceFile: 'object',
  listMaintenanceFiles: 'object',
  readMaintenanceFile: 'object',
  addCalibrationFile: 'object',
  deleteCalibrationFile: 'object',
  listCalibrationFiles: 'object',
  readCalibrationFile: 'object',
  countCalibrations: 'list',
  createCalibration: 'object',
  deleteCalibration: 'object',
  editCalibration: 'object',
  findCalibratedSensors: 'list',
  getCalibration: 'object',
  listCalibrations: 'list',
  listUncalibratedSensors: 'list',
  provisionDevices: 'object',
  sendCommands: 'several',
  listCommands: 'list',
  getCommandBatch: 'object',
  retryCommands: 'several',
  cancelCommands: 'several',
  findDevices: 'list',
  addFirmwareKey: 'object',
  changeRollout: 'object',
  createRollout: 'object',
  endFirmwareKey: 'object',
  getRollout: 'object',
  getRolloutOutlook: 'inherited-object',
  listFirmware: 'inherited-list',
  listFirmwareKeys: 'inherited-list',
  listRollouts: 'list',
  listUpgrades: 'object',
  uploadFirmware: 'object',
  withdrawFirmware: 'object',
  getDeviceStats: 'list',
  listDevices: 'list',
  listExpiring: 'list',
  renewDevices: 'several',
  listModels: 'list',
  exportDevices: 'list',
  findBindableAssets: 'list',
  createDevice: 'object',
  getDevice: 'object',
  getDeviceClock: 'object',
  listDeviceBindings: 'object',
  getDeviceConnection: 'object',
  editDevice: 'object',
  editSensor: 'object',
  rotateDeviceKey: 'object',
  setDeviceToken: 'object',
  replaceDevice: 'object',
  moveDevices: 'several',
  bindDevices: 'several',
  unbindDevices: 'several',
  getDeletionOutlook: 'list',
  deleteDevices: 'several',
  restoreDevices: 'several',
  getDeviceTemplate: 'own',
  importDevices: 'own',
  getBondTemplate: 'own',
  importBonds: 'own',
  createPayloadMapping: 'object',
  deletePayloadMapping: 'object',
  editPayloadMapping: 'object',
  getPayloadMapping: 'object',
  getUnmappedValues: 'object',
  listDeviceModels: 'list',
  listPayloadMappings: 'list',
  tryPayloadMapping: 'installation',
  createDictionary: 'installation',
  deleteDictionary: 'installation',
  editDictionary: 'installation',
  getDictionaryOptions: 'own',
  listDictionaries: 'installation',
  changePassword: 'own',
  completeSetup: 'public',
  createSocketTicket: 'own',
  getProfile: 'own',
  getPublicKey: 'public',
  getPuzzle: 'public',
  login: 'public',
  logout: 'own',
  refreshToken: 'own',
  exportLogs: 'list',
  getLog: 'object',
  listLogs: 'list',
  listMailbox: 'list',
  createMenu: 'installation',
  deleteMenu: 'installation',
  editMenu: 'installation',
  listMenus: 'installation',
  moveMenu: 'installation',
  createOperation: 'installation',
  deleteOperation: 'installation',
  editOperation: 'installation',
  getOperation: 'installation',
  getOperationTree: 'own',
  listOperations: 'installation',
  createOrganization: 'object',
  deleteOrganization: 'object',
  editOrganization: 'object',
  getOrganization: 'object',
  listOrganizations: 'list',
  moveOrganization: 'object',
  explainPacket: 'own',
  getPacket: 'object',
  listPackets: 'list',
  approveRegistration: 'object',
  getRegistrationSettings: 'installation',
  listRegistrationAgents: 'public',
  listRegistrationRoles: 'public',
  listRegistrations: 'list',
  register: 'public',
  rejectRegistration: 'object',
  setRegistrationSettings: 'installation',
  getRenewalNotice: 'own',
  getRenewalPolicy: 'own',
  readRenewalNotice: 'own',
  createRole: 'object',
  deleteRole: 'object',
  editRole: 'object',
  getRole: 'inherited-object',
  listRoleHolders: 'inherited-object',
  listRoles: 'inherited-list',
  getPagePermissions: 'own',
  getRouterInfo: 'own',
  getSite: 'public',
  getSystemConfig: 'installation',
  exportReadings: 'object',
  getAggregates: 'object',
  getCurve: 'object',
  createUser: 'object',
  deleteUser: 'object',
  disableUsers: 'several',
  editUser: 'object',
  enableUsers: 'several',
  endUserSessions: 'object',
  exportUsers: 'list',
  getUser: 'object',
  getUserTemplate: 'own',
  importUsers: 'own',
  cancelImport: 'own',
  getImportProgress: 'own',
  listAgents: 'list',
  listUserSessions: 'object',
  listUsers: 'list',
  resetUserPassword: 'object',
  unlockUser: 'object',
  forgetPassword: 'public',
  sendCode: 'public',
  sendCodeToNewPhone: 'own',
};

export const ROLES = Object.keys(SYSTEM_ROLES) as SystemRole[];

/** Positions of the caller's organisation in relation to the target's. */
export const POSITIONS = ['same', 'subordinate', 'sibling'] as const;
export type Position = (typeof POSITIONS)[number];

export type Outcome =
  /** The call is refused without a session. */
  | 'no-session'
  | 'forbidden'
  | 'not-found'
  /** The call is successful, with the target in the result. */
  | 'done'
  /** The call is successful, but the result does not contain the target, because it is out of scope. */
  | 'left-out';

/** Returns the expected outcome; a null `caller` is anonymous. */
export function expectedOutcome(
  route: RouteContract,
  caller: { role: SystemRole; position: Position } | null,
): Outcome {
  const scope = SCOPES[route.name];
  if (route.access === PUBLIC) return 'done';
  if (caller === null) return 'no-session';
  if (!mayCall(caller.role, route)) return 'forbidden';
  const isSeen =
    caller.position === 'same' || (caller.position === 'subordinate' && scope?.startsWith('inherited'));
  if (scope === 'list' || scope === 'inherited-list' || scope === 'several')
    return isSeen ? 'done' : 'left-out';
  if (scope === 'object' || scope === 'inherited-object') return isSeen ? 'done' : 'not-found';
  return 'done';
}

export function mayCall(role: SystemRole, route: RouteContract): boolean {
  return can(new Set<string>(SYSTEM_ROLES[role]), route.access);
}

const SCOPE_WORDS: Record<Scope, string> = {
  public: 'everybody, without a session',
  own: 'oneself',
  installation: 'the installation',
  list: 'list of own and subordinate organisations',
  'inherited-list': 'list of own, subordinate and superior organisations',
  object: 'own and subordinate organisations, else 404',
  'inherited-object': 'own, subordinate and superior organisations, else 404',
  several: 'own and subordinate organisations, others are counted as failed',
};

/** Returns the content of docs/permissions.md. */
export function permissionsPage(): string {
  const rows = [...ALL_ROUTES]
    .sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : a.method < b.method ? -1 : 1))
    .map((route) => [
      `\`${route.method} ${route.path}\``,
      route.access === PUBLIC || route.access === SIGNED_IN ? route.access : `\`${route.access}\``,
      SCOPE_WORDS[SCOPES[route.name] as Scope],
      ...ROLES.map((role) => (mayCall(role, route) ? '✔' : '')),
    ]);
  const table = [
    ['Call', 'Permission', 'About', ...ROLES],
    ['---', '---', '---', ...ROLES.map(() => ':-:')],
    ...rows,
  ];
  return `# Who may do what

Generated from the contracts and the catalogue of roles by \`npm run docs:permissions\`; a test fails when it is stale. Another
test (\`apps/server/src/permission-matrix.db.test.ts\`) makes every call as nobody, as each seeded role in the organisation of the
target, in a subordinate and in a sibling one, and as an agent of another enterprise, and holds each answer against this table:
without a session 401, without the permission 403, outside the scope 404 or left out. A contract without a line fails it.

Roles that an organisation makes hold any of these permissions, but never one that their maker does not hold.

${table.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}
`;
}
