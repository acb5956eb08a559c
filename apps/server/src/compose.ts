import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ALL_ROUTES } from '@isotherm/contracts/routes';
import { createTranslator } from '@isotherm/i18n/translator';
import type { FastifyInstance } from 'fastify';
import { createAnnouncer } from './announcer.ts';
import type { Config } from './config.ts';
import {
  createAlarmEngine,
  createAlarms,
  createAlarmsService,
  createRules,
  takeBounce,
} from './features/alarms/index.ts';
import { createAnnouncements, createUnreadCount } from './features/announcements/index.ts';
import {
  createAssetRegistry,
  createAssetsService,
  createWebcams,
  ensureAssets,
  mountAssets,
} from './features/assets/index.ts';
import { createBilling } from './features/billing/index.ts';
import { createDashboard } from './features/dashboard/index.ts';
import {
  createContacts,
  createDeviceCalls,
  createDeviceDirectory,
  createDeviceFirmware,
  createDownlink,
  createPresence,
  createRegistry,
  createRenewableDevices,
  createRenewalPolicy,
  createRolloutWatch,
  createUnmappedValues,
} from './features/devices/index.ts';
import { createGeo, createGeofences } from './features/geo/index.ts';
import { createIdentity, permissionHolders, seedRoles } from './features/identity/index.ts';
import {
  createPush,
  createSmsNotifications,
  createWechat,
  mountMailbox,
} from './features/notifications/index.ts';
import {
  createBalanceWarningsService,
  createEndingKeysJob,
  createReminderJobs,
  createRemindersService,
  createWarningJob,
  mountBalanceWarnings,
  mountReminders,
} from './features/reminders/index.ts';
import { createReports } from './features/reports/index.ts';
import { createScreens } from './features/screens/index.ts';
import { createSearch } from './features/search/index.ts';
import { createSettings, type DatabaseInfo, findReportLogo, VERSION } from './features/settings/index.ts';
import { createTelemetry, lockLanes, preparePartitions } from './features/telemetry/index.ts';
import {
  createStudiesService,
  createStudyReports,
  createUnitsService,
  mountValidation,
} from './features/validation/index.ts';
import { createWaybills } from './features/waybills/index.ts';
import { openBounceGateway } from './gateways/bounces.ts';
import { type Gateways, startGateways } from './gateways/start-gateways.ts';
import { createAudit } from './platform/audit/audit.ts';
import { createBackupHistory, mountInstallationBackups } from './platform/backup/installation-backups.ts';
import { createNightlyBackups } from './platform/backup/nightly.ts';
import { refuseUnfinishedRestore } from './platform/backup/restore-backup.ts';
import { createInvalidations } from './platform/cache/invalidations.ts';
import { type Clock, createForwardClock } from './platform/clock.ts';
import { admitConnections } from './platform/connections/admitted.ts';
import { loadCertificates } from './platform/connections/certificates.ts';
import { mostConnections } from './platform/connections/connection-limits.ts';
import { migrate } from './platform/db/migrate.ts';
import { createPool } from './platform/db/pool.ts';
import { createPools, WRITERS } from './platform/db/pools.ts';
import { prepareRights } from './platform/db/rights.ts';
import { takeStartTurn } from './platform/db/start-turn.ts';
import { createLocalStore } from './platform/files/local-store.ts';
import { createS3Store } from './platform/files/s3-store.ts';
import { createSpool } from './platform/files/spool.ts';
import { createApp, refuseUnknown, serveConsole } from './platform/http/app.ts';
import { createHttpLimit } from './platform/http/connections.ts';
import { mountHealth } from './platform/http/health.ts';
import { listenHttps } from './platform/http/https.ts';
import { createMount, type Mount } from './platform/http/mount.ts';
import { openApiDocument } from './platform/http/openapi.ts';
import { createRequestVerifier } from './platform/http/signature.ts';
import { createImages } from './platform/images/images.ts';
import { createImports } from './platform/imports/imports.ts';
import { type Job, prepareJobs, startJobs } from './platform/jobs/jobs.ts';
import type { Logger } from './platform/log.ts';
import { createBounceAddresses, createBounces } from './platform/messages/bounces.ts';
import { createMessages } from './platform/messages/messages.ts';
import { createSmtp } from './platform/messages/smtp.ts';
import { developmentTransports } from './platform/messages/transport.ts';
import { createMetrics } from './platform/metrics.ts';
import { createOutgoing } from './platform/outgoing/outgoing.ts';
import { createFindLink, createPublicLinks } from './platform/public-links/public-links.ts';
import { createBus } from './platform/realtime/bus.ts';
import { createHub } from './platform/realtime/hub.ts';
import { mountReportList } from './platform/reports/report-list.ts';
import { createReportRegister } from './platform/reports/reports.ts';
import { createListExports } from './platform/result-jobs/list-exports.ts';
import { createResultJobs } from './platform/result-jobs/result-jobs.ts';
import { createSealing } from './platform/sealing.ts';
import { createUsedTokens } from './platform/used-tokens.ts';

/** Shares of the total number of connections that the process may hold. */
const SHARE = { mqtt: 0.6, tcp: 0.2, http: 0.2 };
/**
 * Messages that are delivered at the same time: many more than there are connections to the mail server, so that several are
 * read, and their outcomes stored, in one statement while others are sent. They have their own workers, so that a slow mail
 * server delays no job.
 */
const MESSAGES_AT_ONCE = 64;
/** Claimed in one statement, which takes as long for many as for few. */
const MESSAGES_CLAIMED = 128;
/** Time for which ends of deliveries wait to be stored in one statement. */
const MESSAGES_END_WITHIN_MS = 20;
/** Urgent messages have workers of their own, because a message waits for those that were claimed before it. */
const URGENT_AT_ONCE = 2;
/**
 * Database connections of the owner role for migrations and partitions; everything else runs under the
 * application's own role (docs/decisions/0005).
 */
const OWNER_CONNECTIONS = 2;
/** Mounts nothing. */
const NOWHERE: Mount = () => undefined;

export interface RunningServer {
  url: string;
  mqttPort: number | null;
  tcpPort: number | null;
  /** The ports are null without a certificate. */
  tlsPorts: { https: number | null; mqtts: number | null };
  accounts: { username: string; password: string; role: string }[];
  setupUrl: string | null;
  /** Stops gracefully: no new work is accepted; what was received is committed and acknowledged. */
  stop(): Promise<void>;
}

/** The composition root: creates each feature, injects its dependencies and mounts its routes. */
export async function compose(
  config: Config,
  clock: Clock,
  log: Logger,
  progress: (text: string) => void,
): Promise<RunningServer> {
  const certificates = config.tls && (await loadCertificates(config.tls, log));

  progress('Preparing the database');
  const owner = createPool(config.ownerUrl ?? config.databaseUrl, OWNER_CONNECTIONS, log, 'isotherm-owner');
  const endTurn = await takeStartTurn(owner);
  await refuseUnfinishedRestore(owner);
  await migrate(owner, config.migrationsDir);
  const databaseUrl = await prepareRights(owner, config, log);
  await preparePartitions(owner, config.demo);

  const pools = createPools(databaseUrl, log);
  const { web: pool, devices: devicePool } = pools;
  const metrics = createMetrics();
  const translate = createTranslator();
  const sealing = createSealing(config.secret);
  const usedTokens = createUsedTokens(pool);
  const audit = createAudit(pool, sealing, clock);

  const invalidations = createInvalidations();
  const bus = createBus(databaseUrl, devicePool, invalidations, log);

  await prepareJobs(pool, log);
  await seedRoles(pool);

  const images = createImages(pool, clock);
  const running = createImports(pool, clock);
  const bounceAddresses = config.mail?.bounces
    ? createBounceAddresses(sealing, config.mail.bounces.domain)
    : null;
  const smtp = config.mail && createSmtp({ ...config.mail, bounceAddressOf: bounceAddresses?.of });
  const fileStore = config.files.s3 ? createS3Store(config.files.s3) : createLocalStore(config.files.folder);
  const deliveryPool = pools.delivery;
  const messages = createMessages({
    pool,
    deliveryPool,
    sealing,
    clock,
    translate,
    files: fileStore,
    transports: {
      ...(isTrial(config) ? developmentTransports() : {}),
      ...(smtp ? { email: smtp.send } : {}),
    },
    keepsReadable: isTrial(config),
  });

  // Features of identity and sign-in
  const identity = await createIdentity({
    pool,
    sealing,
    usedTokens,
    invalidations,
    audit,
    messages,
    images,
    clock,
    translate,
    running,
    issuer: 'Isotherm',
    reportLogo: (organizationId) => findReportLogo(pool, organizationId),
  });
  const accounts = config.demo ? await identity.seedDemo() : [];

  // Reports and exports, which are written beside everything else
  const reportPool = pools.reports();
  const resultJobs = createResultJobs({
    pool,
    audit,
    clock,
    log,
    translate,
    store: fileStore,
    spool: createSpool(join(config.files.folder, 'spool')),
    callerNow: identity.callerNow,
  });

  const settings = await createSettings({
    pool,
    audit,
    images,
    clock,
    translate,
    holders: permissionHolders,
    forgetCallers: identity.forgetCallers,
    site: config,
    unreadAnnouncements: createUnreadCount(pool, clock),
    isTrial: isTrial(config),
    databases: databaseInfo(config),
    reportPool,
    resultJobs,
  });

  await endTurn();

  // Features of telemetry, from the gateways to the alarms
  const announce = bus.publish;
  const contacts = createContacts(devicePool, clock, log);
  const directory = createDeviceDirectory(devicePool, invalidations, sealing, contacts);
  const engine = createAlarmEngine({ pool: devicePool, invalidations, clock, log, announce });
  invalidations.onInvalidated('device', () => registry.service.forgetCounts());
  const presence = createPresence(devicePool, log);
  const unmapped = createUnmappedValues(devicePool, log);
  const rollouts = createRolloutWatch(pool, clock, log, (ids) => downlink?.wake(ids));
  const firmware = createDeviceFirmware(pool, clock, rollouts.nudge);
  const geofences = createGeofences(invalidations, (tx, events) => waybills.onEvents(tx, events));
  const telemetry = createTelemetry({
    futureCheck: createForwardClock(clock),
    onValues: firmware.said,
    unmapped,
    heard: presence.heard,
    pool,
    ingestPool: pools.ingest,
    sealPool: pools.seal,
    owner,
    directory,
    invalidations,
    audit,
    clock,
    log,
    metrics,
    translate,
    writers: WRITERS,
    maxQueuedReadings: config.queueReadings,
    sealAfterMs: config.sealAfterMs,
    retentionYears: config.retentionYears,
    async onBatch(tx, stored) {
      const afterCommit = await engine.onBatch(tx, stored);
      if (stored.presses.length > 0) await waybills.onPresses(tx, stored.presses);
      return afterCommit;
    },
    onPositions: geofences.onPositions,
    reportPool,
    resultJobs,
  });
  const downlink = config.roles.has('ingest') ? createDownlink(devicePool, clock, log) : null;
  const silence = engine.silenceWatch(() => telemetry.stall() === null);

  const consoleUrl =
    config.publicUrl ?? (isTrial(config) ? `http://${config.plainHost}:${config.port}` : null);

  // Features that only serve API requests
  const links = createPublicLinks();
  const findLink = createFindLink({ pool, links, clock, limit: identity.limit });
  const register = createReportRegister({
    pool,
    audit,
    clock,
    translate,
    links,
    findLink,
    consoleUrl,
    headOf: settings.printHeadOf,
  });
  const brandOf = async (host: string) => (await settings.site(host)).title;
  const renewal = createRenewalPolicy(pool, audit, clock);
  const registry = createRegistry({
    pool,
    audit,
    clock,
    sealing,
    renewal,
    translate,
    running,
    changed: (devices) => invalidations.invalidate('device', devices),
    onChannelsRetired: engine.onChannelsRetired,
    onDevicesRestored: engine.onDevicesRestored,
    holdChannels: lockLanes,
  });
  const alarms = createAlarmsService(pool);
  const assets = createAssetsService(pool, clock, alarms.ofAsset, telemetry.recentExtremes);
  const assetRegistry = createAssetRegistry({
    pool,
    images,
    audit,
    clock,
    translate,
    running,
    cardsOf: assets.cardsOf,
    cardsAt: assets.cardsAt,
    onStatusChange: engine.rules.forgetAll,
  });
  const webcams = createWebcams({
    pool,
    audit,
    clock,
    log,
    sealing,
    images,
    limit: identity.limit,
    settings: {
      ...config.mediaGateway,
      ice: config.ice,
      ffmpeg: config.ffmpeg,
      allowedNetworks: config.outgoingAllow,
      demoOrigin: config.demoCameras,
      snapshotDays: config.webcamSnapshotDays,
      alarmYears: config.retentionYears,
    },
  });
  const outgoing = createOutgoing(config.outgoingAllow);
  const billing = createBilling({
    pool,
    audit,
    sealing,
    outgoing,
    clock,
    translate,
    log,
    policy: renewal.policy,
    renewable: createRenewableDevices(pool, registry.service, renewal),
    origin: consoleUrl,
    reports: register,
    brandOf,
    sandboxOrigin: isTrial(config) ? () => consoleUrl ?? '' : null,
  });
  const sms = createSmsNotifications({
    pool,
    devicePool,
    audit,
    sealing,
    outgoing,
    clock,
    translate,
    log,
    origin: consoleUrl,
  });
  const push = createPush({
    pool,
    devicePool,
    audit,
    sealing,
    outgoing,
    clock,
    translate,
    consoleUrl,
    mailFrom: config.mail?.from ?? null,
  });
  const wechat = createWechat({
    pool,
    devicePool,
    audit,
    sealing,
    outgoing,
    clock,
    translate,
    log,
    origin: consoleUrl,
  });
  const alarmWork = createAlarms({
    pool,
    devicePool,
    deliveryPool,
    engine,
    alarms,
    assetCards: assets.cards,
    audit,
    sealing,
    signatures: identity.signatures,
    messages,
    sms: { gateway: sms.gateway, charge: billing.ledger },
    voice: { gateway: sms.voiceGateway, charge: billing.ledger },
    push,
    wechat: wechat.gateway,
    outgoing,
    running,
    invalidations,
    clock,
    translate,
    log,
    announce,
    links,
    findLink,
    tellPeople: (people) => announce({ alarms: [], assetIds: [], people }),
    consoleUrl,
    reportPool,
    resultJobs,
  });
  sms.deliverTo(alarmWork.receipts);
  const waybills = createWaybills({
    pool,
    audit,
    clock,
    log,
    messages,
    outgoing,
    routingUrl: config.routingUrl,
    translate,
    running,
    reports: register,
    images,
    brandOf,
    consoleUrl,
    links,
    findLink,
    limit: identity.limit,
    deviceMoves: registry.moves,
  });
  const maps = createGeo({
    pool,
    clock,
    audit,
    translate,
    running,
    cardsOf: assets.cardsOf,
    curveOf: telemetry.curve,
    links,
    findLink,
    limit: identity.limit,
    fenceUses: {
      async beforeRemoval(tx, id, scope) {
        await waybills.beforeRemoval(tx, id);
        await alarmWork.refuseUsedFence(tx, id, scope);
      },
      beforeUnsharing: alarmWork.refuseUsedFence,
    },
  });
  const reports = createReports({
    pool,
    reportPool,
    resultJobs,
    register,
    clock,
    translate,
    brand: async () => (await settings.site('')).title,
    audit,
    sealing,
    premiumOf: billing.premiumOf,
    readings: telemetry.archive,
    forgetChannels: (channelIds) => invalidations.invalidate('rules', channelIds.map(String)),
    backupAlarms: alarmWork.backups,
    log,
    messages,
    links,
    findLink,
    callerNow: identity.callerNow,
    consoleUrl,
  });
  const announcements = createAnnouncements({
    pool,
    audit,
    clock,
    log,
    translate,
    messages,
    maxFileBytes: config.announcementFileBytes,
    tellPeople: (people) => announce({ alarms: [], assetIds: [], people }),
    tellOrganizations: (organizations) => announce({ alarms: [], assetIds: [], organizations }),
    consoleUrl,
  });
  const app = await createApp(log, translate, config.trustProxy);
  const most = config.maxConnections ?? mostConnections();
  const shareOf = (share: number) => Math.floor(most * share);
  const httpLimit = createHttpLimit(downlink ? shareOf(SHARE.http) : most, config.trustProxy);
  admitConnections(app.server, httpLimit);
  const health = mountHealth(
    app,
    pool,
    { registry: metrics.registry, key: config.metricsKey },
    clock,
    telemetry.stall,
  );
  await bus.start();

  const stops: (() => Promise<void> | void)[] = [];
  let gateways: Gateways | null = null;
  /** In a group of processes, another one may be the process that listens for devices. */
  const deviceAddress = () => ({
    host: config.deviceHost,
    mqtt: config.plainHost === config.host ? (gateways?.mqttPort ?? config.mqttPort) : null,
    mqtts: gateways?.mqttsPort ?? config.tls?.mqttsPort ?? null,
    tcp: gateways?.tcpPort ?? config.tcpPort,
  });
  const listExports = createListExports(resultJobs);
  /** Mounts the calls of all features; with `callbacks`, also the addresses that providers call. */
  const mountFeatures = (mount: Mount, callbacks: FastifyInstance | null) => {
    const deviceCalls = createDeviceCalls({
      pool,
      audit,
      sealing,
      clock,
      registry,
      renewal,
      deviceAddress,
      onAssetsWanted: ensureAssets,
      onChannelsCreated: createRules,
      forgetDevices: () => invalidations.invalidate('device', null),
      wake: (ids) => downlink?.wake(ids),
      nudgeRollouts: rollouts.nudge,
    });
    identity.mount(mount);
    settings.mount(mount);
    deviceCalls.mount(mount);
    mountAssets(mount, assets, clock);
    assetRegistry.mount(mount);
    webcams.mount(mount);
    telemetry.mount(mount);
    mountValidation(
      mount,
      createStudiesService(pool, audit, clock),
      createUnitsService(pool, audit, clock),
      createStudyReports({ pool, reports: register, clock, translate, brandOf }),
    );
    mountReminders(mount, createRemindersService({ pool, audit, clock, messages, renewal }));
    alarmWork.mount(mount);
    mountBalanceWarnings(mount, createBalanceWarningsService({ pool, audit, clock, messages }));
    billing.mount(mount, callbacks);
    waybills.mount(mount);
    maps.mount(mount);
    sms.mount(mount, callbacks, alarmWork.receipts);
    push.mount(mount);
    wechat.mount(mount, callbacks);
    announcements.mount(mount);
    reports.mount(mount);
    mountInstallationBackups(mount, { pool, audit, clock, keep: config.backup?.keep ?? 0 });
    createDashboard({
      pool,
      clock,
      alarms: alarmWork,
      devices: deviceCalls,
      balances: billing.balancesOf,
    }).mount(mount);
    createScreens({
      pool,
      audit,
      clock,
      assets,
      links,
      findLink,
      limit: identity.limit,
      premiumOf: billing.premiumOf,
    }).mount(mount);
    createSearch({ pool, clock }).mount(mount);
    mountMailbox(mount, messages);
    running.mount(mount);
    resultJobs.mount(mount);
    listExports.mount(mount);
    register.mount(mount);
    mountReportList(mount, { pool, audit, clock, translate, links, store: fileStore });
  };
  if (config.roles.has('web')) {
    const hub = createHub({
      clock,
      log,
      metrics,
      admit: identity.admitSocket,
      current: identity.socketUserNow,
      invalidations,
      databaseDownSince: health.databaseDownSince,
      onWatch: (connection) => announcer.onWatch(connection),
    });
    const announcer = createAnnouncer(bus, hub, alarms, assets, translate, log);
    await hub.mount(app);
    const mount = createMount(
      app,
      createRequestVerifier(config.salt, usedTokens, clock),
      identity.findCaller,
      identity.findMachine,
      metrics,
      bus.caughtUp,
    );
    mountFeatures(listExports.collecting(mount), app);
    images.mount(app);
    // It takes as long as much of the rest of a start, and few people read it.
    let openApi: Promise<object> | null = null;
    app.get('/api/openapi.json', () => {
      openApi ??= openApiDocument(ALL_ROUTES, VERSION);
      return openApi;
    });
    if (existsSync(join(config.webRoot, 'index.html')))
      await serveConsole(app, config.webRoot, settings.site, config.mapOrigins);
    else refuseUnknown(app);
    stops.push(announcer.stop, hub.stop);
  } else {
    refuseUnknown(app);
    // A worker runs the exports of lists, although it does not answer calls.
    if (config.roles.has('worker')) mountFeatures(listExports.collecting(NOWHERE), null);
  }
  stops.push(webcams.stop, push.stop);

  if (downlink) {
    gateways = await startGateways(app, {
      devicePool,
      createLeasePool: pools.leases,
      ingest: telemetry.ingest,
      hardware: telemetry.hardware,
      directory,
      downlink,
      firmware,
      contacts,
      findMachine: identity.findMachine,
      alertors: alarmWork.openAlertorDesk(),
      invalidations,
      metrics,
      clock,
      log,
      certificates,
      limits: { mqtt: shareOf(SHARE.mqtt), tcp: shareOf(SHARE.tcp) },
      listenOn: { ...config, mqttsPort: config.tls?.mqttsPort ?? null },
      broker: config.broker,
    });
    const bouncePort = config.mail?.bounces?.port ?? null;
    if (bounceAddresses && bouncePort !== null) {
      const bounceGateway = await openBounceGateway({
        addresses: bounceAddresses,
        bounces: createBounces({ pool: devicePool, clock, onBounce: takeBounce }),
        clock,
        log,
        host: config.host,
        port: bouncePort,
      });
      stops.unshift(bounceGateway.stop);
    }
    silence.start();
    stops.unshift(gateways.stop);
    stops.push(gateways.flush, silence.stop);
  }
  stops.push(engine.compiler.stop);
  if (config.roles.has('worker')) {
    engine.compiler.watch(invalidations, log);
    const history = createBackupHistory(pool, clock);
    const backups = createNightlyBackups(config.backup, { databaseUrl, clock, log, metrics, history });
    stops.push(backups.stop);
    sms.keepConnections();
    stops.push(alarmWork.startDelivery());
    const jobs: Job[] = [
      ...backups.jobs,
      ...identity.jobs,
      ...registry.jobs,
      ...telemetry.jobs,
      ...assetRegistry.jobs,
      ...webcams.jobs,
      ...createReminderJobs({ pool, messages, renewal, translate }),
      createEndingKeysJob({ pool, messages, clock }),
      ...alarmWork.jobs,
      ...messages.jobs,
      ...billing.jobs,
      ...wechat.jobs,
      ...sms.jobs,
      createWarningJob({ pool, clock, messages, outlook: billing.outlook }),
      ...images.jobs,
      ...maps.jobs,
      ...waybills.jobs,
      ...running.jobs,
      ...resultJobs.jobs,
      ...reports.jobs,
    ];
    const runner = await startJobs(pools.jobs(), jobs, [...waybills.tasks, ...backups.tasks], log);
    const postman = await startJobs(deliveryPool, [], messages.tasks, log, {
      concurrency: MESSAGES_AT_ONCE,
      claimedAtOnce: MESSAGES_CLAIMED,
      endsWithinMs: MESSAGES_END_WITHIN_MS,
    });
    const courier = await startJobs(deliveryPool, [], messages.urgentTasks, log, {
      concurrency: URGENT_AT_ONCE,
    });
    bus.subscribe(({ alarms: told }) => {
      if (told.some(({ topic }) => topic === 'alarm.raised')) webcams.wake();
    });
    webcams.start();
    rollouts.start();
    stops.push(
      announcements.start(),
      reports.start(),
      resultJobs.start(reportPool),
      rollouts.stop,
      runner.stop,
      postman.stop,
      courier.stop,
    );
  }

  // Receipts are taken until nothing is sent any more.
  stops.push(sms.stop);

  const url = await app.listen({ host: config.plainHost, port: config.port });
  const secure =
    config.tls && certificates
      ? await listenHttps(app, certificates, httpLimit, { host: config.host, port: config.tls.httpsPort })
      : null;
  const setupPath = await identity.setupLink();
  return {
    url,
    mqttPort: gateways?.mqttPort ?? null,
    tcpPort: gateways?.tcpPort ?? null,
    tlsPorts: { https: secure?.port ?? null, mqtts: gateways?.mqttsPort ?? null },
    accounts,
    setupUrl: setupPath && `${url}${setupPath}`,
    async stop() {
      // Order of the shutdown: gateways refuse new work, requests in progress are answered, the queue is
      // written, then the rest closes.
      certificates?.stop();
      const closing = Promise.all([app.close(), secure?.close()]);
      for (const stop of stops) await stop();
      await telemetry.stop();
      await presence.stop();
      await contacts.stop();
      await unmapped.stop();
      await closing;
      await bus.stop();
      health.stop();
      smtp?.close();
      await Promise.all([pools.end(), owner.end()]);
    },
  };
}

/** Environments in which messages go to the mailbox page and the system-config panel is shown. */
function isTrial({ environment }: Config): boolean {
  return environment === 'development' || environment === 'sandbox';
}

/** Data of the system-config panel, which is shown in development and sandbox only (requirements §2). */
function databaseInfo(config: Config): DatabaseInfo[] {
  if (!isTrial(config)) return [];
  const url = new URL(config.databaseUrl);
  return [
    {
      tag: config.environment === 'sandbox' ? 'production' : 'test',
      address: url.searchParams.get('host') ?? url.host,
      database: url.pathname.slice(1),
    },
  ];
}
