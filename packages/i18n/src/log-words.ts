import { AUDIT_ACTIONS } from '@isotherm/domain/access/audit-actions';
import { ACCOUNT_TYPES, ORGANIZATION_LEVELS, SYSTEM_ROLES } from '@isotherm/domain/access/roles';
import { SIGNATURE_MEANINGS } from '@isotherm/domain/access/signature';
import { ASSET_TYPES } from '@isotherm/domain/assets/asset-kind';
import { ASSET_STATUSES } from '@isotherm/domain/assets/asset-status';
import { MAINTENANCE_KINDS } from '@isotherm/domain/assets/maintenance-norms';
import { STUDY_TYPES, STUDY_VERDICTS } from '@isotherm/domain/assets/validation-study';
import { WEBCAM_KINDS } from '@isotherm/domain/assets/webcam';
import { COMMAND_KINDS } from '@isotherm/domain/devices/command';
import { DEVICE_TYPES } from '@isotherm/domain/devices/device-state';
import { RELEASE_STATES } from '@isotherm/domain/devices/release';
import { ROLLOUT_STATES } from '@isotherm/domain/devices/rollout';
import { INDICATOR_NAMES } from '@isotherm/domain/readings/indicator';
import { REPORT_INTERVALS } from '@isotherm/domain/reports/report-schedule';
import { ASSET_FIELD_WORDS } from './asset-field-words.ts';
import { LANGUAGE_NAMES, LANGUAGES } from './languages.ts';
import { permissionWords, type Say } from './permission-words.ts';
import { type TextId, textId } from './text-id.ts';

/** Labels of stored fields. They are the same as in forms. */
const ANY_KIND: Readonly<Record<string, TextId>> = {
  accountType: 'users.type',
  description: 'settings.description',
  fail: 'logs.field.fail',
  files: 'common.attachments',
  id: 'logs.number',
  latitude: 'organizations.latitude',
  location: 'organizations.location',
  longitude: 'organizations.longitude',
  name: 'organizations.name',
  organization: 'users.organization',
  organizationId: 'users.organization',
  permissions: 'roles.permissions',
  position: 'settings.operation.order',
  realname: 'users.realname',
  rows: 'logs.field.rows',
  success: 'logs.field.success',
  system: 'logs.field.system',
  timeZone: 'users.time-zone',
  titles: 'settings.titles',
  username: 'users.username',
};

const OF_KIND: Readonly<Record<string, Readonly<Record<string, TextId>>>> = {
  alarm: {
    byAlertor: 'alertors.by-alertor',
    byCall: 'calls.by-call',
    byLink: 'links.by-link',
    meaning: 'signatures.meaning',
    signatureCode: 'signatures.code',
    signer: 'signatures.signer',
  },
  asset: {
    ...ASSET_FIELD_WORDS,
    channel: 'reports.column.channel',
    comment: 'reports.review.comment',
    days: 'reports.review.days',
    initials: 'reports.review.initials',
    rules: 'asset.tab.rules',
    settingsOf: 'alert-settings.copied-from',
    status: 'assets.status',
    until: 'logs.field.until',
  },
  'nfc-tag': { asset: 'assets.history.asset' },
  'asset-group': { assets: 'menu.assets', parent: 'assets.group.parent' },
  'asset-file': {
    asset: 'assets.history.asset',
    fileKind: 'assets.file.kind',
    validUntil: 'assets.file.valid-until',
    version: 'assets.file.version',
  },
  'floor-plan': {
    floor: 'assets.plan.floor',
    picture: 'assets.plan.picture',
    points: 'assets.plan.points',
  },
  authorization: {
    expiresAt: 'authorizations.expires',
    kind: 'authorizations.kind',
    validDays: 'authorizations.valid',
  },
  brand: {
    appDownloadUrl: 'settings.brand.app-url',
    collapsedTitle: 'settings.brand.collapsed-title',
    copyrightEntity: 'settings.brand.copyright',
    environment: 'settings.brand.environment',
    fallback: 'settings.brand.fallback',
    filing: 'settings.brand.filing',
    host: 'settings.brand.host',
    loginLogo: 'settings.brand.login-logo',
    menuLogo: 'settings.brand.menu-logo',
    pageTitle: 'settings.brand.page-title',
    showAppDownload: 'settings.brand.app',
    supportNote: 'settings.brand.support',
    title: 'settings.brand.title',
    wechatAccount: 'settings.brand.wechat',
  },
  calibration: {
    appliedFrom: 'calibration.applied-from',
    calibratedOn: 'calibration.calibrated-on',
    certificate: 'calibration.certificate',
    dueOn: 'calibration.due-on',
    laboratory: 'calibration.laboratory',
    note: 'calibration.note',
    points: 'calibration.points',
  },
  command: {
    cancelled: 'logs.field.cancelled',
    devices: 'commands.devices',
    high: 'commands.high',
    indicator: 'commands.indicator',
    kind: 'commands.kind',
    low: 'commands.low',
    minutes: 'commands.minutes',
    seconds: 'commands.seconds',
    sensor: 'commands.sensor',
  },
  device: {
    acquisitionIntervalS: 'devices.acquisition',
    asset: 'menu.asset',
    devEui: 'devices.eui',
    device: 'logs.kind.device',
    disabled: 'devices.sensor.off',
    expiresOn: 'devices.expires',
    gatewayNumber: 'devices.gateway',
    hasToken: 'devices.token',
    indicators: 'devices.sensor.indicators',
    model: 'devices.model',
    number: 'logs.number',
    offlineAfterMinutes: 'devices.offline-after',
    sensor: 'asset.sensors.sensor',
    sensorName: 'devices.sensor.name',
    sensors: 'asset.tab.sensors',
    serial: 'devices.serial',
    timeZone: 'devices.zone',
    type: 'devices.type',
    uploadIntervalS: 'devices.upload',
  },
  dictionary: {
    code: 'settings.dictionary.code',
    enabled: 'settings.dictionary.enabled',
    items: 'settings.dictionary.items',
    value: 'settings.dictionary.value',
  },
  'expiry-reminder': {
    daysBefore: 'reminders.days-before',
    enabled: 'reminders.enabled',
    kinds: 'reminders.kinds',
    recipients: 'reminders.recipients',
    repeatDays: 'reminders.repeat-days',
  },
  firmware: {
    checksum: 'upgrade.checksum',
    model: 'upgrade.model',
    notes: 'upgrade.notes',
    version: 'upgrade.version',
  },
  'firmware-key': { publicKey: 'upgrade.key.public' },
  'firmware-rollout': {
    devices: 'commands.devices',
    note: 'upgrade.rollout.note',
    state: 'upgrade.rollout.state',
    waves: 'upgrade.rollout.waves',
  },
  log: {
    action: 'logs.action',
    actor: 'logs.actor',
    from: 'logs.from',
    objectId: 'logs.object-id',
    objectKind: 'logs.kind',
    order: 'settings.operation.order',
    search: 'logs.search',
    sessionId: 'logs.session',
    to: 'logs.to',
  },
  maintenance: {
    cost: 'maintenance.cost',
    currency: 'maintenance.currency',
    defrostInterval: 'maintenance.measure.defrostInterval',
    defrostTime: 'maintenance.measure.defrostTime',
    dischargePressure: 'maintenance.measure.dischargePressure',
    doneBy: 'maintenance.done-by',
    doneOn: 'maintenance.done-on',
    kind: 'maintenance.kind',
    nextDueOn: 'maintenance.next-due-on',
    returnPressure: 'maintenance.measure.returnPressure',
    shutdownDifference: 'maintenance.measure.shutdownDifference',
    work: 'maintenance.work',
  },
  menu: {
    affix: 'settings.menu.affix',
    breadcrumb: 'settings.menu.breadcrumb',
    component: 'settings.menu.component',
    hidden: 'settings.menu.hidden',
    icon: 'settings.menu.icon',
    name: 'settings.menu.name',
    noCache: 'settings.menu.no-cache',
    operations: 'settings.operation.title',
    parentId: 'settings.menu.parent',
    path: 'settings.menu.path',
    redirect: 'settings.menu.redirect',
  },
  operation: {
    code: 'settings.operation.code',
    fullname: 'settings.operation.fullname',
    menuid: 'logs.kind.menu',
    nameEnglish: 'settings.operation.english',
    nameSpanish: 'settings.operation.spanish',
    sortcode: 'settings.operation.order',
  },
  organization: {
    code: 'organizations.code',
    level: 'organizations.level',
    parent: 'organizations.move.to',
    signatureFromLevel: 'signatures.from-level',
  },
  reading: { channels: 'curve.channels', format: 'logs.field.format', from: 'logs.from', to: 'logs.to' },
  job: {
    channels: 'curve.channels',
    devices: 'backups.devices',
    fileName: 'backups.file-name',
    title: 'backups.title',
    format: 'logs.field.format',
    from: 'logs.from',
    assets: 'reports.fact.assets',
    jobKind: 'jobs.kind',
    to: 'logs.to',
    zone: 'users.time-zone',
  },
  track: { format: 'logs.field.format', from: 'logs.from', to: 'logs.to' },
  'payload-mapping': {
    deviceModel: 'mappings.model',
    factor: 'mappings.factor',
    list: 'mappings.list',
    offset: 'mappings.offset',
    path: 'mappings.path',
    timeFormat: 'mappings.list.time-format',
    timePath: 'mappings.list.time-path',
  },
  'alarm-policy': {
    assetKind: 'policies.assign.asset-kind',
    definition: 'policies.conditions',
    enabled: 'policies.enabled',
    target: 'policies.assign.target',
    targetKind: 'policies.assign.kind',
  },
  'renewal-policy': {
    currency: 'reminders.policy.currency',
    effectiveOn: 'reminders.policy.effective-on',
    expiringMonths: 'reminders.policy.expiring-months',
    fee: 'reminders.policy.fee',
    hotline: 'reminders.policy.hotline',
    lapsedMonths: 'reminders.policy.lapsed-months',
  },
  waybill: {
    arrivalFences: 'waybills.arrival-fences',
    asset: 'waybills.asset',
    consignee: 'waybills.consignee',
    consigneeEmail: 'waybills.consignee-email',
    consignor: 'waybills.consignor',
    decision: 'waybills.decision',
    deliverAtTime: 'waybills.deliver-at-time',
    deliverByButton: 'waybills.deliver-by-button',
    departAtTime: 'waybills.depart-at-time',
    departByButton: 'waybills.depart-by-button',
    departedAt: 'waybills.departed',
    departureFence: 'waybills.departure-fence',
    devices: 'waybills.trip-devices',
    driver: 'waybills.driver',
    endedAt: 'waybills.ended',
    events: 'waybills.events',
    givenBy: 'waybills.person',
    goods: 'waybills.goods',
    note: 'waybills.note',
    number: 'waybills.number',
    organization: 'waybills.organization',
    plannedDeliveryAt: 'waybills.planned-delivery',
    plannedDepartureAt: 'waybills.planned-departure',
    preCool: 'waybills.pre-cool',
    preCoolMinutes: 'waybills.pre-cool.required',
    product: 'waybills.product',
    state: 'waybills.state',
    stop: 'waybills.stop',
    takenBy: 'waybills.person.received',
    temperatureHigh: 'waybills.temperature-high',
    temperatureLow: 'waybills.temperature-low',
    tour: 'waybills.tour',
  },
  'waybill-notice': {
    kind: 'waybills.notice.kind',
    recipient: 'waybills.notice.recipient',
    state: 'waybills.notice.state',
  },
  'waybill-link': { expiresAt: 'waybills.link.expires' },
  'waybill-client': {
    contacts: 'clients.contacts',
    kind: 'clients.kind',
    name: 'clients.name',
    note: 'clients.note',
    notices: 'clients.notices',
    organization: 'clients.organization',
    shared: 'clients.shared',
    sites: 'clients.sites',
  },
  screen: {
    dim: 'screens.dim',
    name: 'screens.name',
    organization: 'screens.organization',
    pageSeconds: 'screens.page-seconds',
    pages: 'screens.pages',
  },
  'screen-link': { days: 'screens.link-days' },
  'car-screen': {
    expiresAt: 'maps.cars.link-expires',
    intervalS: 'maps.cars.interval',
    vehicles: 'maps.cars.assets',
  },
  'shared-replay': {
    assets: 'maps.share.assets',
    expiresAt: 'maps.share.expires',
    from: 'maps.share.from',
    to: 'maps.share.to',
  },
  geofence: {
    dwellMinutes: 'geofences.dwell',
    marginM: 'geofences.margin',
    name: 'geofences.name',
    note: 'geofences.note',
    organization: 'geofences.organization',
    shape: 'geofences.shape',
    shared: 'geofences.shared',
  },
  'product-profile': {
    activationKj: 'profiles.activation',
    budget: 'profiles.budget',
    code: 'profiles.code',
    enabled: 'profiles.enabled',
    humidityHigh: 'profiles.humidity-high',
    humidityLow: 'profiles.humidity-low',
    mktLimit: 'profiles.mkt-limit',
    name: 'profiles.name',
    note: 'profiles.note',
    organization: 'profiles.organization',
    preCoolMinutes: 'profiles.pre-cool',
    shared: 'profiles.shared',
    temperatureHigh: 'profiles.temperature-high',
    temperatureLow: 'profiles.temperature-low',
  },
  holiday: { date: 'holidays.date' },
  receiver: {
    countryCode: 'receivers.country-code',
    email: 'receivers.email',
    language: 'receivers.language',
    linkPin: 'links.pin',
    mobile: 'receivers.mobile',
    quietHours: 'quiet-hours.title',
    wechat: 'receivers.wechat',
  },
  'on-call': {
    handoverAt: 'on-call.handover-at',
    leave: 'on-call.leave',
    overrides: 'on-call.overrides',
    people: 'on-call.people',
    startsOn: 'on-call.starts-on',
    turnDays: 'on-call.turn-days',
  },
  handover: {
    comment: 'handovers.comment',
    endsAt: 'handovers.until',
    incoming: 'handovers.incoming',
    outgoing: 'handovers.outgoing',
    startsAt: 'handovers.from',
  },
  'alarm-test': {
    asset: 'alarm-tests.asset',
    confirmedBy: 'alarm-tests.confirmed-by',
    level: 'alarm-tests.level',
    messages: 'alarm-tests.messages',
  },
  'alarm-test-schedule': {
    at: 'alarm-tests.at',
    enabled: 'alarm-tests.schedule.enabled',
    every: 'alarm-tests.every',
    interval: 'alarm-tests.interval',
    level: 'alarm-tests.level',
    policy: 'alarm-tests.policy',
    startsOn: 'alarm-tests.starts-on',
  },
  announcement: {
    body: 'announcements.text',
    category: 'announcements.category',
    dueAt: 'announcements.due-at',
    email: 'announcements.email',
    group: 'announcements.audience',
    pinnedUntil: 'announcements.pinned',
    popup: 'announcements.popup',
    recallReason: 'announcements.recall-reason',
    sendType: 'announcements.send-type',
    state: 'announcements.state',
    title: 'announcements.subject',
  },
  'announcement-group': {
    organizations: 'announcements.groups.organizations',
    roles: 'announcements.groups.roles',
  },
  'print-head': {
    fields: 'print-heads.fields',
    logo: 'print-heads.logo',
    reportKind: 'print-heads.kind',
    signatures: 'print-heads.signatures',
    title: 'print-heads.title',
  },
  'report-schedule': {
    assets: 'reports.schedule.assets',
    at: 'reports.schedule.at',
    enabled: 'reports.schedule.enabled',
    format: 'reports.schedule.format',
    interval: 'reports.schedule.interval',
    kind: 'reports.kind',
    language: 'reports.schedule.language',
    monthDay: 'reports.schedule.month-day',
    owner: 'reports.schedule.owner',
    pack: 'reports.compliance.pack',
    recipients: 'reports.schedule.recipients',
    weekday: 'reports.schedule.weekday',
  },
  'device-release': { dueAt: 'releases.due', file: 'backups.file', state: 'releases.state' },
  backup: {
    devices: 'backups.devices',
    enabled: 'backups.enabled',
    file: 'backups.file',
    fileName: 'backups.file-name',
    interval: 'backups.interval',
    language: 'backups.language',
    owner: 'backups.owner',
    recipients: 'backups.recipients',
  },
  suppression: {
    endedAt: 'suppressions.ended-early',
    endsAt: 'suppressions.until',
    highestLevel: 'suppressions.level',
    kind: 'suppressions.kind',
    owner: 'suppressions.owner',
    startsAt: 'suppressions.from',
    target: 'suppressions.target',
  },
  'escalation-plan': {
    enabled: 'escalation-plans.enabled',
    lowestLevel: 'escalation-plans.lowest-level',
    steps: 'escalation-plans.steps',
  },
  'wechat-account': {
    body: 'wechat.fields',
    credentialsAt: 'channels.credentials-at',
    enabled: 'channels.enabled',
    keyId: 'channels.app-id',
    secureMode: 'wechat.secure-mode',
    templateEn: 'channels.template.en',
    templateEs: 'channels.template.es',
    templateZhCn: 'channels.template.zh-cn',
    templateZhTw: 'channels.template.zh-tw',
    url: 'channels.url',
  },
  'push-service': {
    clientEmail: 'push-services.fcm.client-email',
    credentialsAt: 'channels.credentials-at',
    enabled: 'channels.enabled',
    keyId: 'push-services.apns.key-id',
    projectId: 'push-services.fcm.project',
    teamId: 'push-services.apns.team-id',
    tokenUrl: 'push-services.fcm.token-url',
    topic: 'push-services.apns.topic',
    url: 'channels.url',
  },
  'message-template': {
    aliyunParameters: 'message-templates.provider.parameters',
    aliyunTemplate: 'message-templates.provider.aliyun',
    body: 'message-templates.body',
    subject: 'message-templates.subject',
    tencentParameters: 'message-templates.provider.parameters',
    tencentTemplate: 'message-templates.provider.tencent',
    wechatParameters: 'message-templates.provider.parameters',
    wechatTemplate: 'message-templates.provider.wechat',
  },
  'wechat-binding': { code: 'wechat.code' },
  alertor: { kind: 'alertors.kind', place: 'alertors.place', serial: 'alertors.serial' },
  'recipient-group': { members: 'recipient-groups.members' },
  balance: {
    format: 'statements.format',
    independent: 'billing.independent',
    overdraft: 'billing.balances.overdraft',
  },
  'balance-warning': {
    emails: 'reminders.recipients',
    enabled: 'reminders.enabled',
    mobiles: 'balance-warnings.mobiles',
    smsBelow: 'balance-warnings.sms-below',
    voiceBelow: 'balance-warnings.voice-below',
  },
  'payment-provider': {
    appId: 'payments.app-id',
    credentialsAt: 'channels.credentials-at',
    enabled: 'payments.enabled',
    kind: 'payments.kind',
    merchantId: 'payments.merchant-id',
    publicKey: 'payments.public-key',
    publicKeyId: 'payments.public-key-id',
    serial: 'payments.serial',
    url: 'payments.url',
  },
  'recharge-order': {
    amountMinor: 'billing.amount-minor',
    commodity: 'billing.commodity',
    currency: 'billing.currency',
    provider: 'billing.provider',
    state: 'billing.state',
    units: 'billing.units',
  },
  'recharge-package': {
    amountMinor: 'billing.amount-minor',
    commodity: 'billing.commodity',
    currency: 'billing.currency',
    units: 'billing.units',
  },
  invoice: {
    address: 'invoices.address',
    cancelReason: 'invoices.cancel-reason',
    email: 'invoices.email',
    issuedOn: 'invoices.issued-on',
    number: 'invoices.number',
    orders: 'invoices.orders',
    taxNumber: 'invoices.tax-number',
    title: 'invoices.payer',
  },
  'premium-service': {
    deviceLimit: 'premium.device-limit',
    state: 'premium.state',
  },
  'renewal-price': {
    amountMinor: 'billing.amount-minor',
    currency: 'billing.currency',
    model: 'devices.model',
  },
  'recharge-refund': {
    amountMinor: 'billing.amount-minor',
    commodity: 'billing.commodity',
    currency: 'billing.currency',
    reason: 'billing.grant.reason',
    state: 'billing.state',
    units: 'billing.units',
  },
  'recharge-grant': {
    commodity: 'billing.commodity',
    reason: 'billing.grant.reason',
    state: 'billing.state',
    units: 'billing.units',
  },
  'alarm-message': { copy: 'alarm-messages.one' },
  'sms-provider': {
    appId: 'channels.app-id',
    region: 'channels.region',
    sender: 'channels.sender',
    ratePerSecond: 'channels.rate',
    receiptSources: 'channels.receipt-sources',
    body: 'channels.body',
    credentialsAt: 'channels.credentials-at',
    enabled: 'channels.enabled',
    idPath: 'channels.id-path',
    keyId: 'channels.key-id',
    kind: 'channels.kind',
    mobile: 'channels.test.mobile',
    priority: 'channels.priority',
    signName: 'channels.sign-name',
    successPath: 'channels.success-path',
    successValue: 'channels.success-value',
    templateEn: 'channels.template.en',
    templateEs: 'channels.template.es',
    templateZhCn: 'channels.template.zh-cn',
    templateZhTw: 'channels.template.zh-tw',
    url: 'channels.url',
  },
  registration: { agent: 'users.agent' },
  'registration-settings': {
    approval: 'settings.registration.approval',
    enabled: 'settings.registration.enabled',
    parentOrganizationId: 'settings.registration.parent',
    roleIds: 'settings.registration.roles',
  },
  role: { name: 'roles.name', requiresSecondFactor: 'roles.second-factor' },
  user: {
    address: 'users.address',
    agent: 'users.agent',
    avatar: 'account.avatar.title',
    email: 'users.email',
    ended: 'logs.field.ended',
    landline: 'users.landline',
    language: 'account.language',
    mobile: 'users.mobile',
    on: 'users.second-factor',
    quietHours: 'quiet-hours.title',
    refused: 'logs.reason',
    renewed: 'logs.field.renewed',
    roles: 'users.roles',
    secondFactorTakenAway: 'logs.field.second-factor-taken-away',
    settlement: 'users.settlement',
  },
  'validation-study': {
    channels: 'validations.channels',
    dueOn: 'validations.due-on',
    format: 'logs.field.format',
    from: 'validations.from',
    note: 'validations.note',
    to: 'validations.to',
    type: 'validations.type',
    verdict: 'validations.verdict',
    verifierUnit: 'validations.unit',
    zoneMax: 'validations.zone-max',
    zoneMin: 'validations.zone-min',
  },
  'verifier-unit': {
    contact: 'validations.unit.contact',
    phone: 'validations.unit.phone',
    qualification: 'validations.unit.qualification',
  },
  webcam: {
    account: 'webcams.account',
    address: 'webcams.address',
    asset: 'assets.history.asset',
    kind: 'webcams.kind',
    snapshotAtAlarm: 'webcams.at-alarm',
    snapshotMinutes: 'webcams.every',
  },
  'webcam-account': { hasPassword: 'webcams.account.has-password', url: 'webcams.account.url' },
};

type Codes = Readonly<Record<string, { words: (code: string) => TextId; codes: readonly string[] }>>;

/** Prefixes of text ids for the codes in asset fields. */
const ASSET_CODES: Codes = {
  status: { words: (code) => textId(`assets.status.${code}`), codes: ASSET_STATUSES },
  type: { words: (code) => textId(`assets.type.${code}`), codes: Object.values(ASSET_TYPES).flat() },
};

/** Prefixes of text ids for codes, by kind and field, with the codes that have a text. */
const CODES: Codes = {
  'alarm.meaning': { words: (code) => textId(`signatures.meaning.${code}`), codes: SIGNATURE_MEANINGS },
  'authorization.kind': { words: (code) => textId(`authorizations.kind.${code}`), codes: ['code', 'key'] },
  'backup.interval': { words: (code) => textId(`backups.interval.${code}`), codes: REPORT_INTERVALS },
  'command.indicator': { words: (code) => textId(`common.indicator.${code}`), codes: INDICATOR_NAMES },
  'command.kind': { words: (code) => textId(`commands.kind.${code}`), codes: COMMAND_KINDS },
  'device.indicators': { words: (code) => textId(`common.indicator.${code}`), codes: INDICATOR_NAMES },
  'device.type': { words: (code) => textId(`devices.type.${code}`), codes: DEVICE_TYPES },
  'device-release.state': { words: (code) => textId(`releases.step.${code}`), codes: RELEASE_STATES },
  'firmware-rollout.state': {
    words: (code) => textId(`upgrade.rollout.state.${code}`),
    codes: ROLLOUT_STATES,
  },
  'log.action': { words: (code) => textId(`logs.action.${code}`), codes: AUDIT_ACTIONS },
  'maintenance.kind': { words: (code) => textId(`maintenance.kind.${code}`), codes: MAINTENANCE_KINDS },
  'organization.level': {
    words: (code) => textId(`organizations.level.${code}`),
    codes: ORGANIZATION_LEVELS,
  },
  'user.accountType': { words: (code) => textId(`users.type.${code}`), codes: ACCOUNT_TYPES },
  'user.refused': {
    words: (code) => textId(`logs.refused.${code}`),
    codes: ['disabled', 'password', 'pending', 'second-factor-missing', 'second-factor-wrong'],
  },
  'user.roles': { words: (code) => textId(`roles.system.${code}`), codes: Object.keys(SYSTEM_ROLES) },
  'validation-study.type': { words: (code) => textId(`validations.type.${code}`), codes: STUDY_TYPES },
  'validation-study.verdict': {
    words: (code) => textId(`validations.verdict.${code}`),
    codes: STUDY_VERDICTS,
  },
  'webcam.kind': { words: (code) => textId(`webcams.kind.${code}`), codes: WEBCAM_KINDS },
  'user.settlement': {
    words: (code) => textId(`users.settlement.${code}`),
    codes: ['independent', 'shared'],
  },
};

/**
 * Returns an own property only. Stored names are untrusted: `constructor` must not match an inherited
 * property.
 */
function own<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

/** Returns the label of a kind of object in the audit log; an unknown kind stays unchanged. */
export function kindWord(kind: string, say: Say): string {
  const id = textId(`logs.kind.${kind}`);
  const word = say(id);
  return word === id ? kind : word;
}

/** Returns the label of a stored field as in forms; a field without a label is shown as stored. */
export function fieldWord(kind: string, field: string, say: Say): string {
  const ofKind = own(OF_KIND, kind);
  const id = (ofKind && own(ofKind, field)) ?? own(ANY_KIND, field);
  return id === undefined ? field : say(id);
}

/**
 * Returns a stored value as text: codes are translated, lists are joined, an empty value is an empty text.
 */
export function valueWords(kind: string, field: string, value: unknown, say: Say): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value))
    return value.map((each) => valueWords(kind, field, each, say)).join(say('logs.value.between'));
  if (typeof value === 'object') return fieldsInWords(kind, value, say);
  if (typeof value === 'boolean') return say(value ? 'logs.value.yes' : 'logs.value.no');
  return wordOf(kind, field, String(value), say);
}

/** Returns all old or all new fields of an entry as one text, in the order of their stored names. */
export function fieldsInWords(kind: string, fields: object, say: Say): string {
  return Object.entries(fields)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([field, value]) =>
      say('logs.value.pair', {
        field: nestedWord(kind, field, say),
        value: valueWords(kind, field, value, say),
      }),
    )
    .join('; ');
}

/** Returns the label of a nested field. Titles are stored by language code. */
function nestedWord(kind: string, field: string, say: Say): string {
  const language = LANGUAGES.find((each) => each === field);
  return language ? LANGUAGE_NAMES[language] : fieldWord(kind, field, say);
}

function wordOf(kind: string, field: string, code: string, say: Say): string {
  if (field === 'permissions') return permissionWords(code, say);
  if (field === 'language') {
    const language = LANGUAGES.find((each) => each === code);
    if (language) return LANGUAGE_NAMES[language];
  }
  if (kind === 'log' && field === 'objectKind') return kindWord(code, say);
  const known = kind === 'asset' ? own(ASSET_CODES, field) : own(CODES, `${kind}.${field}`);
  return known?.codes.includes(code) ? say(known.words(code)) : code;
}
