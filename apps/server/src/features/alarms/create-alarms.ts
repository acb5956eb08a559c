import { type AlarmAnalysis, analyzeAlarms, orderAlarmHistory } from '@isotherm/contracts/alarm-history';
import { orderAlarmMessages } from '@isotherm/contracts/alarm-messages';
import { type Alarm, listAlarms } from '@isotherm/contracts/alarms';
import type { AssetCard } from '@isotherm/contracts/assets';
import type { Translate } from '@isotherm/i18n/translator';
import type pg from 'pg';
import type { Audit } from '../../platform/audit/audit.ts';
import type { Invalidations } from '../../platform/cache/invalidations.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Tx } from '../../platform/db/pool.ts';
import type { Caller } from '../../platform/http/caller.ts';
import type { Mount } from '../../platform/http/mount.ts';
import type { Imports } from '../../platform/imports/imports.ts';
import type { Job } from '../../platform/jobs/jobs.ts';
import type { Logger } from '../../platform/log.ts';
import type { Messages } from '../../platform/messages/messages.ts';
import type { Outgoing } from '../../platform/outgoing/outgoing.ts';
import type { FindLink, PublicLinks } from '../../platform/public-links/public-links.ts';
import type { ResultJobs } from '../../platform/result-jobs/result-jobs.ts';
import type { Sealing } from '../../platform/sealing.ts';
import type { Signatures } from '../identity/index.ts';
import { createAlarmActions } from './alarm-actions.ts';
import { createAlarmBatches } from './alarm-batches.ts';
import { mountAlarmFiles } from './alarm-files.ts';
import { createAlarmJobs } from './alarms.job.ts';
import { mountAlarms } from './alarms.routes.ts';
import type { AlarmsService } from './alarms.service.ts';
import { mountAlertSettings } from './alert-settings/alert-settings.routes.ts';
import { createAlertSettingsService } from './alert-settings/alert-settings.service.ts';
import { createRuleCopies } from './alert-settings/rule-copies.ts';
import { type AlertorDesk, createAlertorDesk } from './alertors/alertor-desk.ts';
import { mountAlertors } from './alertors/alertors.routes.ts';
import { createAlertorsService } from './alertors/alertors.service.ts';
import { createAlertorDelivery } from './alertors/deliver-alertors.ts';
import { type BackupAlarms, createBackupAlarms } from './backup-alarms.ts';
import type { AlarmEngine } from './create-alarm-engine.ts';
import { mountEscalationPlans } from './escalation-plans/escalation-plans.routes.ts';
import { createEscalationPlansService } from './escalation-plans/escalation-plans.service.ts';
import type { News } from './evaluator.ts';
import { mountHandovers } from './handovers/handovers.routes.ts';
import { createHandoversService } from './handovers/handovers.service.ts';
import { mountAlarmHistory } from './history/history.routes.ts';
import { createAlarmHistory } from './history/history.service.ts';
import { createHolidays } from './holidays/create-holidays.ts';
import { createMakeLink, createSmsLinks, mountAcknowledgeLinks } from './links/acknowledge-links.ts';
import { mountOpenLinks } from './links/open-links.ts';
import { mountAlarmMessages } from './messages/alarm-messages.routes.ts';
import { createAlarmMessages } from './messages/alarm-messages.service.ts';
import { createMoveTargets } from './move-targets.ts';
import { canPress, createKeypad, type Keypad } from './notifications/keypad.ts';
import { createNotifier } from './notifications/notifier.ts';
import { createReceipts, type Receipts } from './notifications/receipts.ts';
import type { TextsOptions } from './notifications/texts.ts';
import { createPostPush, createUrlPush } from './notifications/url-push.ts';
import { mountOnCall } from './on-call/on-call.routes.ts';
import { createOnCallService } from './on-call/on-call.service.ts';
import { mountBackTest } from './policies/back-test.routes.ts';
import { createBackTestService } from './policies/back-test.service.ts';
import { mountPolicies } from './policies/policies.routes.ts';
import { createPoliciesService } from './policies/policies.service.ts';
import { refuseFenceOfPolicies } from './policies/policy-fences.ts';
import { createPopupDelivery, type TellPeople } from './popups/deliver-popups.ts';
import { mountPopups } from './popups/popups.routes.ts';
import { type AccountPush, createPushDelivery } from './push/deliver-push.ts';
import { createReceivers } from './receivers/create-receivers.ts';
import { mountRecipientGroups } from './recipient-groups/recipient-groups.routes.ts';
import { createRecipientGroupsService } from './recipient-groups/recipient-groups.service.ts';
import { createSubscriptionWatch } from './subscriptions/subscription-watch.ts';
import { mountSuppressions } from './suppressions/suppressions.routes.ts';
import { createSuppressionsService } from './suppressions/suppressions.service.ts';
import { createOwnTexts } from './templates/own-texts.ts';
import { createRenderDraft } from './templates/render-draft.ts';
import { mountTemplates } from './templates/templates.routes.ts';
import { createTemplatesService } from './templates/templates.service.ts';
import { createSendTemplateTest } from './templates/test-message.ts';
import { createTestSchedulesService } from './tests/schedules.service.ts';
import { createSendTest } from './tests/send-test.ts';
import { createTestRunner } from './tests/test-runner.ts';
import { mountAlarmTests } from './tests/tests.routes.ts';
import { createAlarmTestsService } from './tests/tests.service.ts';

import { createWechatDelivery, type WechatSending } from './wechat/deliver-wechat.ts';

export interface AlarmNeeds {
  pool: pg.Pool;
  /** Pool of deliveries, so that they do not wait for API requests. */
  devicePool: pg.Pool;
  /** Pool for the outcomes of URL pushes, whose commits need not wait for the disk. */
  deliveryPool: pg.Pool;
  engine: AlarmEngine;
  alarms: AlarmsService;
  assetCards: (caller: Caller) => Promise<readonly AssetCard[]>;
  audit: Audit;
  sealing: Sealing;
  signatures: Signatures;
  messages: Messages;
  sms: Pick<TextsOptions, 'gateway' | 'charge'>;
  voice: Pick<TextsOptions, 'gateway' | 'charge'>;
  push: AccountPush;
  wechat: WechatSending;
  outgoing: Outgoing;
  running: Imports;
  /** Tells when cached notification texts are out of date. */
  invalidations: Invalidations;
  clock: Clock;
  translate: Translate;
  log: Logger;
  announce: (news: News) => void;
  tellPeople: TellPeople;
  links: PublicLinks;
  findLink: FindLink;
  /** Address of the console for links in messages. */
  consoleUrl: string | null;
  /** Long exports, and their own connections. */
  reportPool: pg.Pool;
  resultJobs: ResultJobs;
}

/** Everything that people do about alarms, and the delivery of their notifications. */
export interface Alarms {
  mount(mount: Mount): void;
  /** Returns the worst alarms that are not acknowledged, or also those that are only open. */
  worst(caller: Caller, show: 'unacknowledged' | 'all', limit: number): Promise<Alarm[]>;
  /** Counts the alarms of a period in the caller's organisation and below. */
  analyze(caller: Caller, from: Date, to: Date): Promise<AlarmAnalysis>;
  jobs: readonly Job[];
  /** Throws `geofence.in_policies` if a policy names the geofence. The error names policies within the scope only. */
  refuseUsedFence(tx: Tx, fenceId: number, scope: string): Promise<void>;
  /** Stores what providers report about messages, and takes the keys of calls. */
  receipts: Receipts & Keypad;
  backups: BackupAlarms;
  /** Creates what serves the alertors that connect to this process. */
  openAlertorDesk(): AlertorDesk;
  /** Starts the delivery of notifications and alarm tests. Returns a function that stops it. */
  startDelivery(): () => Promise<void>;
}

export function createAlarms(needs: AlarmNeeds): Alarms {
  const { pool, devicePool, engine, alarms, audit, sealing, messages, clock, translate, log } = needs;
  const { rules, compiler } = engine;
  const { announce, consoleUrl, outgoing, running, links } = needs;
  const pinMacOf = (receiverId: number, pin: string) =>
    sealing.mac('receiver-link-pin', `${receiverId} ${pin}`);
  const ownTexts = createOwnTexts(needs.invalidations);
  const sendTest = createSendTest({ messages, clock, consoleUrl, ownTexts, translate });

  const { signatures } = needs;
  const listSignatures = (ids: readonly number[]) => signatures.list(pool, 'alarm', ids);
  const history = createAlarmHistory(pool, clock, audit, translate, listSignatures);
  const longHistory = createAlarmHistory(needs.reportPool, clock, audit, translate, listSignatures);
  needs.resultJobs.register({
    name: 'alarm-export',
    permission: orderAlarmHistory.access,
    parameters: orderAlarmHistory.body,
    check: longHistory.check,
    run: (caller, query, work) => longHistory.content(caller, query, work.progress),
  });

  const aboutMessages = { pool, clock, audit, translate, ownTexts, consoleUrl };
  const longMessages = createAlarmMessages({ ...aboutMessages, pool: needs.reportPool });
  needs.resultJobs.register({
    name: 'message-export',
    permission: orderAlarmMessages.access,
    parameters: orderAlarmMessages.body,
    check: longMessages.check,
    run: (caller, query, work) => longMessages.content(caller, query, work.progress),
  });

  return {
    worst: (caller, show, limit) => alarms.listAll(caller, listAlarms.query.parse({ show }), limit),
    analyze: (caller, from, to) =>
      history.analyze(caller, analyzeAlarms.query.parse({ from: from.toISOString(), to: to.toISOString() })),
    jobs: [
      ...createAlarmJobs(pool, clock, announce),
      {
        name: 'forget-public-links',
        cron: '40 3 * * *',
        run: () => links.forgetExpired(pool, clock.now()),
      },
    ],
    refuseUsedFence: refuseFenceOfPolicies,
    receipts: { ...createReceipts(pool, clock), ...createKeypad({ pool, audit, clock, announce }) },
    backups: createBackupAlarms(clock, announce),
    openAlertorDesk: () => createAlertorDesk({ pool: devicePool, audit, clock, log, announce }),

    mount(mount) {
      const actions = createAlarmActions(pool, clock, announce, audit, alarms, signatures);
      mountAlarms(
        mount,
        alarms,
        actions,
        createAlarmBatches(alarms, actions, audit, translate, listSignatures),
        createMoveTargets(pool, alarms, needs.assetCards),
      );
      mountAcknowledgeLinks(mount, {
        pool,
        links,
        audit,
        clock,
        translate,
        announce,
        findLink: needs.findLink,
        pinMacOf,
      });
      mountOpenLinks(mount, { pool, links, alarms, audit, clock });
      mountPopups(mount, pool, clock, translate);
      mountAlarmFiles(mount, pool, audit, clock);
      mountAlarmHistory(mount, history, needs.resultJobs);
      mountAlarmMessages(mount, createAlarmMessages(aboutMessages), needs.resultJobs);
      mountBackTest(mount, createBackTestService(pool, clock, rules));
      mountPolicies(mount, createPoliciesService(pool, audit, clock, compiler, sealing));
      const copyRules = createRuleCopies(rules, clock, announce);
      mountAlertSettings(
        mount,
        createAlertSettingsService({ pool, audit, clock, compiler, copyRules, translate }),
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
      const render = createRenderDraft({ clock, translate, consoleUrl });
      mountTemplates(
        mount,
        createTemplatesService({ pool, audit, clock, translate, render }),
        createSendTemplateTest({
          pool,
          audit,
          clock,
          translate,
          render,
          messages,
          gateways: { sms: needs.sms.gateway, voice: needs.voice.gateway },
          charge: needs.sms.charge,
          wechat: needs.wechat,
        }),
      );
      mountAlertors(mount, createAlertorsService(pool, audit, clock));
      mountRecipientGroups(mount, createRecipientGroupsService(pool, audit, clock, translate));
      createHolidays({ pool, audit, clock, translate, running }).mount(mount);
      createReceivers({ pool, audit, clock, translate, running, pinMacOf }).mount(mount);
    },

    startDelivery() {
      const makeLink = createMakeLink(links, clock, consoleUrl);
      const notifier = createNotifier({
        pool: devicePool,
        messages,
        urlPush: createUrlPush({ pool: needs.deliveryPool, outgoing, sealing, clock }),
        sms: { ...needs.sms, links: createSmsLinks(makeLink, sealing, consoleUrl) },
        voice: { ...needs.voice, canPress },
        makeLink,
        deliverPopups: createPopupDelivery({ pool: devicePool, clock, tellPeople: needs.tellPeople }),
        clock,
        translate,
        log,
        consoleUrl,
        ownTexts,
      });
      const pushes = createPushDelivery({
        pool: devicePool,
        push: needs.push,
        makeLink,
        clock,
        translate,
        log,
      });
      const wechat = createWechatDelivery({
        pool: devicePool,
        wechat: needs.wechat,
        messages,
        makeLink,
        consoleUrl,
        clock,
        translate,
        log,
        ownTexts,
      });
      const tests = createTestRunner({
        pool: devicePool,
        sendTest,
        post: createPostPush(outgoing, clock),
        sealing,
        clock,
        translate,
        log,
      });
      const subscriptions = createSubscriptionWatch({ pool: devicePool, rules, clock, log, announce });
      subscriptions.start();
      const alertors = createAlertorDelivery({ pool: devicePool, clock, log });
      notifier.start();
      alertors.start();
      pushes.start();
      wechat.start();
      tests.start();
      return async () => {
        await subscriptions.stop();
        await notifier.stop();
        await alertors.stop();
        await pushes.stop();
        await wechat.stop();
        await tests.stop();
      };
    },
  };
}
