import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ALL_ROUTES } from '@isotherm/contracts/routes';
import { createTranslator } from '@isotherm/i18n/translator';
import { createAnnouncer } from './announcer.ts';
import type { Config } from './config.ts';
import {
  createAlarmActions,
  createAlarmBatches,
  createAlarmHistory,
  createAlarmJobs,
  createAlarmMessages,
  createAlarmsService,
  createAlarmTestsService,
  createAlertSettingsService,
  createBackTestService,
  createCompiler,
  createEndRetired,
  createEscalationPlansService,
  createEvaluator,
  createHandoversService,
  createHolidays,
  createMoveTargets,
  createNotifier,
  createOnCallService,
  createPoliciesService,
  createPostPush,
  createReceivers,
  createRecipientGroupsService,
  createReopenRestored,
  createRuleBook,
  createRuleCopies,
  createRules,
  createSendTest,
  createSilenceWatch,
  createSuppressionsService,
  createTestRunner,
  createTestSchedulesService,
  createUrlPush,
  mountAlarmFiles,
  mountAlarmHistory,
  mountAlarmMessages,
  mountAlarms,
  mountAlarmTests,
  mountAlertSettings,
  mountBackTest,
  mountEscalationPlans,
  mountHandovers,
  mountOnCall,
  mountPolicies,
  mountRecipientGroups,
  mountSuppressions,
} from './features/alarms/index.ts';
import {
  createAssetRegistry,
  createAssetsService,
  createWebcams,
  ensureAssets,
  mountAssets,
} from './features/assets/index.ts';
import { createBilling } from './features/billing/index.ts';
import {
  createCalibrationsService,
  createCommandsService,
  createContacts,
  createDeviceAttributes,
  createDeviceDirectory,
  createDeviceFirmware,
  createDevicesService,
  createDownlink,
  createMappingsService,
  createPacketCounters,
  createPresence,
  createRegistry,
  createRenewalPolicy,
  createRolloutWatch,
  createStatsService,
  createUnmappedValues,
  mountCalibrations,
  mountCommands,
  mountConnection,
  mountDevices,
  mountFirmware,
  mountMappings,
  mountRegistry,
  mountRenewal,
  mountStats,
} from './features/devices/index.ts';
import { createIdentity, permissionHolders, seedRoles } from './features/identity/index.ts';
import { createSmsNotifications, mountMailbox } from './features/notifications/index.ts';
import {
  createEndingKeysJob,
  createReminderJobs,
  createRemindersService,
  mountReminders,
} from './features/reminders/index.ts';
import { createSettings, type DatabaseInfo, VERSION } from './features/settings/index.ts';
import { createTelemetry, lockLanes, preparePartitions } from './features/telemetry/index.ts';
import {
  createStudiesService,
  createStudyReports,
  createUnitsService,
  mountValidation,
} from './features/validation/index.ts';
import { createBrokerGateway } from './gateways/broker.ts';
import { mountHardwareHttp } from './gateways/hardware-http.ts';
import { mountIngestHttp } from './gateways/http.ts';
import { createMqttGateway } from './gateways/mqtt.ts';
import { createSharedAttributes } from './gateways/shared-attributes.ts';
import { createTcpGateway } from './gateways/tcp.ts';
import { mountThingsboardHttp } from './gateways/thingsboard-http.ts';
import { createAudit } from './platform/audit/audit.ts';
import { createNightlyBackups } from './platform/backup/nightly.ts';
import { refuseUnfinishedRestore } from './platform/backup/restore-backup.ts';
import { createInvalidations } from './platform/cache/invalidations.ts';
import { type Clock, createForwardClock } from './platform/clock.ts';
import { admitConnections } from './platform/connections/admitted.ts';
import { loadCertificates } from './platform/connections/certificates.ts';
import { createConnectionLimit, mostConnections } from './platform/connections/connection-limits.ts';
import { migrate } from './platform/db/migrate.ts';
import { createPool, HANGING_SESSION_TIMEOUT_MS } from './platform/db/pool.ts';
import { prepareRights } from './platform/db/rights.ts';
import { takeStartTurn } from './platform/db/start-turn.ts';
import { createApp, refuseUnknown, serveConsole } from './platform/http/app.ts';
import { createHttpLimit } from './platform/http/connections.ts';
import { mountHealth } from './platform/http/health.ts';
import { listenHttps } from './platform/http/https.ts';
import { createMount } from './platform/http/mount.ts';
import { openApiDocument } from './platform/http/openapi.ts';
import { createRequestVerifier } from './platform/http/signature.ts';
import { createImages } from './platform/images/images.ts';
import { createImports } from './platform/imports/imports.ts';
import { type Job, prepareJobs, startJobs } from './platform/jobs/jobs.ts';
import type { Logger } from './platform/log.ts';
import { createMessages } from './platform/messages/messages.ts';
import { createSmtp } from './platform/messages/smtp.ts';
import { developmentTransports } from './platform/messages/transport.ts';
import { createMetrics } from './platform/metrics.ts';
import { createOutgoing } from './platform/outgoing/outgoing.ts';
import { createBus } from './platform/realtime/bus.ts';
import { createHub } from './platform/realtime/hub.ts';
import { createSealing } from './platform/sealing.ts';
import { createUsedTokens } from './platform/used-tokens.ts';

const WRITERS = 2;
/** Shares of the total number of connections that the process may hold. */
const SHARE = { mqtt: 0.6, tcp: 0.2, http: 0.2 };
/** A batch of readings that takes longer than this is retried, and split when it fails again. */
const INGEST_TIMEOUTS = {
  idle_in_transaction_session_timeout: HANGING_SESSION_TIMEOUT_MS,
  lock_timeout: 2 * HANGING_SESSION_TIMEOUT_MS,
  statement_timeout: 30_000,
};
const WEB_CONNECTIONS = 10;
/**
 * Database connections of the pools for devices, alarms and events, which are separate so that they do not
 * wait for API requests.
 */
const DEVICE_CONNECTIONS = 3;
const SEAL_CONNECTIONS = 2;
const LEASE_CONNECTIONS = 1;
/**
 * Database connections of the job queue, separate from those of API requests, so that neither starves the
 * other.
 */
const JOB_CONNECTIONS = 4;
/**
 * Messages that are delivered at the same time: as many as there are connections to the mail server. They have their own
 * workers, so that a slow mail server delays no job.
 */
const MESSAGES_AT_ONCE = 4;
/**
 * Database connections of the owner role for migrations and partitions; everything else runs under the
 * application's own role (docs/decisions/0005).
 */
const OWNER_CONNECTIONS = 2;

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

  const pool = createPool(databaseUrl, WEB_CONNECTIONS, log, 'isotherm-web');
  const devicePool = createPool(databaseUrl, DEVICE_CONNECTIONS, log, 'isotherm-devices');
  const ingestPool = createPool(databaseUrl, WRITERS, log, 'isotherm-ingest', INGEST_TIMEOUTS);
  const sealPool = createPool(databaseUrl, SEAL_CONNECTIONS, log, 'isotherm-seal');
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
  const smtp = config.mail && createSmtp(config.mail);
  const messages = createMessages({
    pool,
    sealing,
    clock,
    translate,
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
  });
  const accounts = config.demo ? await identity.seedDemo() : [];

  const settings = await createSettings({
    pool,
    audit,
    images,
    clock,
    translate,
    holders: permissionHolders,
    forgetCallers: identity.forgetCallers,
    site: config,
    isTrial: isTrial(config),
    databases: databaseInfo(config),
  });

  await endTurn();

  // Features of telemetry, from the gateways to the alarms
  const announce = bus.publish;
  const contacts = createContacts(devicePool, clock, log);
  const directory = createDeviceDirectory(devicePool, invalidations, sealing, contacts);
  const ruleBook = createRuleBook(invalidations);
  invalidations.onInvalidated('device', () => registry.service.forgetCounts());
  const presence = createPresence(devicePool, log);
  const unmapped = createUnmappedValues(devicePool, log);
  const rollouts = createRolloutWatch(pool, clock, log, (ids) => downlink?.wake(ids));
  const firmware = createDeviceFirmware(pool, clock, rollouts.nudge);
  const telemetry = createTelemetry({
    futureCheck: createForwardClock(clock),
    onValues: firmware.said,
    unmapped,
    heard: presence.heard,
    pool,
    ingestPool,
    sealPool,
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
    onBatch: createEvaluator(ruleBook, announce),
  });
  const { ingest, hardware } = telemetry;
  const downlink = config.roles.has('ingest') ? createDownlink(devicePool, clock, log) : null;
  const silence = createSilenceWatch({
    pool: devicePool,
    clock,
    log,
    announce,
    rules: ruleBook,
    isReceiving: () => telemetry.stall() === null,
  });

  const compiler = createCompiler(devicePool, ruleBook, clock, announce);
  if (config.roles.has('worker')) compiler.watch(invalidations, log);

  const consoleUrl =
    config.publicUrl ?? (isTrial(config) ? `http://${config.plainHost}:${config.port}` : null);

  const sendTest = createSendTest({ messages, clock, consoleUrl });

  // Features that only serve API requests
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
    onChannelsRetired: createEndRetired(clock, announce),
    onDevicesRestored: createReopenRestored(clock),
    holdChannels: lockLanes,
  });
  const alarms = createAlarmsService(pool);
  const alarmActions = createAlarmActions(pool, clock, announce, audit, alarms);
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
    onStatusChange: ruleBook.forgetAll,
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
  const billing = createBilling({
    pool,
    audit,
    sealing,
    clock,
    translate,
    log,
    sandboxOrigin: isTrial(config) ? () => consoleUrl ?? '' : null,
  });
  const outgoing = createOutgoing(config.outgoingAllow);
  const sms = createSmsNotifications({ pool, audit, sealing, outgoing, clock, translate });
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
  let mqttPort: number | null = null;
  let tcpPort: number | null = null;
  const tlsPorts: RunningServer['tlsPorts'] = { https: null, mqtts: null };
  /** In a group of processes, another one may be the process that listens for devices. */
  const deviceAddress = () => ({
    host: config.deviceHost,
    mqtt: config.plainHost === config.host ? (mqttPort ?? config.mqttPort) : null,
    mqtts: tlsPorts.mqtts ?? config.tls?.mqttsPort ?? null,
    tcp: tcpPort ?? config.tcpPort,
  });
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
    identity.mount(mount);
    settings.mount(mount);
    mountRegistry(mount, registry);
    mountConnection(mount, pool, deviceAddress);
    mountDevices(mount, createDevicesService(pool, ensureAssets, createRules, audit, sealing));
    mountMappings(
      mount,
      createMappingsService(pool, audit, clock, () => invalidations.invalidate('device', null)),
    );
    mountCalibrations(mount, createCalibrationsService(pool, audit, clock));
    mountCommands(
      mount,
      createCommandsService(pool, audit, clock, (ids) => downlink?.wake(ids)),
    );
    mountFirmware(mount, pool, audit, clock, rollouts.nudge);
    mountRenewal(mount, pool, renewal);
    mountStats(mount, createStatsService(pool, renewal, clock));
    mountAssets(mount, assets, clock);
    assetRegistry.mount(mount);
    webcams.mount(mount);
    telemetry.mount(mount);
    mountValidation(
      mount,
      createStudiesService(pool, audit, clock),
      createUnitsService(pool, audit, clock),
      createStudyReports({
        pool,
        audit,
        clock,
        translate,
        brandOf: async (host) => (await settings.site(host)).title,
      }),
    );
    mountReminders(mount, createRemindersService({ pool, audit, clock, messages, renewal }));
    mountAlarms(
      mount,
      alarms,
      alarmActions,
      createAlarmBatches(alarms, alarmActions, audit, translate),
      createMoveTargets(pool, alarms, assets.cards),
    );
    mountAlarmFiles(mount, pool, audit, clock);
    mountAlarmHistory(mount, createAlarmHistory(pool, clock, audit, translate));
    mountAlarmMessages(mount, createAlarmMessages(pool, clock, audit, translate));
    mountBackTest(mount, createBackTestService(pool, clock, ruleBook));
    mountPolicies(mount, createPoliciesService(pool, audit, clock, compiler, sealing));
    mountAlertSettings(
      mount,
      createAlertSettingsService({
        pool,
        audit,
        clock,
        compiler,
        copyRules: createRuleCopies(ruleBook, clock, announce),
        translate,
      }),
    );
    mountEscalationPlans(mount, createEscalationPlansService(pool, audit, clock, sealing));
    mountOnCall(mount, createOnCallService(pool, audit, clock));
    mountHandovers(mount, createHandoversService(pool, audit, clock));
    mountSuppressions(mount, createSuppressionsService(pool, audit, clock));
    mountAlarmTests(
      mount,
      createAlarmTestsService({ pool, audit, clock, translate, sendTest }),
      createTestSchedulesService(pool, audit, clock),
    );
    mountRecipientGroups(mount, createRecipientGroupsService(pool, audit, clock, translate));
    createHolidays({ pool, audit, clock, translate, running }).mount(mount);
    createReceivers({ pool, audit, clock, translate, running }).mount(mount);
    billing.mount(mount, app);
    sms.mount(mount);
    mountMailbox(mount, messages);
    running.mount(mount);
    images.mount(app);
    const openApi = openApiDocument(ALL_ROUTES, VERSION);
    app.get('/api/openapi.json', () => openApi);
    if (existsSync(join(config.webRoot, 'index.html')))
      await serveConsole(app, config.webRoot, settings.site);
    else refuseUnknown(app);
    stops.push(announcer.stop, hub.stop);
  } else refuseUnknown(app);
  stops.push(webcams.stop);

  if (downlink) {
    await mountIngestHttp(app, ingest, metrics);
    await mountHardwareHttp(app, {
      hardware,
      directory,
      findMachine: identity.findMachine,
      clock,
    });
    const attributes = createDeviceAttributes(devicePool, clock);
    const shared = createSharedAttributes({ attributes, downlink, invalidations, log });
    await mountThingsboardHttp(app, {
      ingest,
      hardware,
      directory,
      downlink,
      firmware,
      attributes,
      shared,
      metrics,
      clock,
    });
    const counters = createPacketCounters(devicePool, log);
    const mqtt = createMqttGateway({
      ingest,
      hardware,
      directory,
      counters,
      downlink,
      invalidations,
      firmware,
      attributes,
      shared,
      metrics,
      log,
      clock,
      limit: createConnectionLimit({ most: shareOf(SHARE.mqtt) }),
    });
    mqttPort = await mqtt.listen(config.plainHost, config.mqttPort);
    if (config.tls && certificates)
      tlsPorts.mqtts = await mqtt.listenTls(certificates, config.host, config.tls.mqttsPort);
    const tcp = createTcpGateway({
      ingest,
      counters,
      downlink,
      contacts,
      invalidations,
      metrics,
      clock,
      limit: createConnectionLimit({ most: shareOf(SHARE.tcp) }),
    });
    tcpPort = await tcp.listen(config.host, config.tcpPort);
    silence.start();
    stops.unshift(mqtt.stop, tcp.stop);
    if (config.broker) {
      const leasePool = createPool(databaseUrl, LEASE_CONNECTIONS, log, 'isotherm-leases');
      const broker = await createBrokerGateway({
        ...config.broker,
        pool: leasePool,
        ingest,
        hardware,
        directory,
        counters,
        downlink,
        metrics,
        log,
        clock,
      });
      stops.unshift(broker.stop);
      stops.push(() => leasePool.end());
    }
    stops.push(downlink.stop, counters.stop, silence.stop);
  }
  if (config.roles.has('worker')) {
    stops.push(compiler.stop);
    const backups = createNightlyBackups(config.backup, { databaseUrl, clock, log, metrics });
    stops.push(backups.stop);
    const notifier = createNotifier({
      pool: devicePool,
      messages,
      urlPush: createUrlPush({
        pool: devicePool,
        outgoing,
        sealing,
        clock,
      }),
      sms: { gateway: sms.gateway, charge: billing.ledger },
      clock,
      translate,
      log,
      consoleUrl,
    });
    notifier.start();
    stops.push(notifier.stop);
    const tests = createTestRunner({
      pool: devicePool,
      sendTest,
      post: createPostPush(createOutgoing(config.outgoingAllow), clock),
      sealing,
      clock,
      translate,
      log,
    });
    tests.start();
    stops.push(tests.stop);
    const jobs: Job[] = [
      ...backups.jobs,
      ...identity.jobs,
      ...registry.jobs,
      ...telemetry.jobs,
      ...assetRegistry.jobs,
      ...webcams.jobs,
      ...createReminderJobs({ pool, messages, renewal, translate }),
      createEndingKeysJob({ pool, messages, clock }),
      ...createAlarmJobs(pool, clock, announce),
      ...messages.jobs,
      ...billing.jobs,
      ...images.jobs,
      ...running.jobs,
    ];
    const jobsPool = createPool(databaseUrl, JOB_CONNECTIONS, log, 'isotherm-jobs');
    const runner = await startJobs(jobsPool, jobs, [], log);
    const messagesPool = createPool(databaseUrl, JOB_CONNECTIONS, log, 'isotherm-messages');
    const postman = await startJobs(messagesPool, [], messages.tasks, log, undefined, MESSAGES_AT_ONCE);
    bus.subscribe(({ alarms: told }) => {
      if (told.some(({ topic }) => topic === 'alarm.raised')) webcams.wake();
    });
    webcams.start();
    rollouts.start();
    stops.push(rollouts.stop, runner.stop, postman.stop);
    stops.push(() => Promise.all([jobsPool.end(), messagesPool.end()]).then(() => undefined));
  }

  const url = await app.listen({ host: config.plainHost, port: config.port });
  const secure =
    config.tls && certificates
      ? await listenHttps(app, certificates, httpLimit, { host: config.host, port: config.tls.httpsPort })
      : null;
  tlsPorts.https = secure?.port ?? null;
  const setupPath = await identity.setupLink();
  return {
    url,
    mqttPort,
    tcpPort,
    tlsPorts,
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
      await Promise.all([pool.end(), devicePool.end(), ingestPool.end(), sealPool.end(), owner.end()]);
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
