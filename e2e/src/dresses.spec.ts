import { WAYBILL_STATES } from '@isotherm/domain/waybills/waybill';
import { logIn } from '@isotherm/simulator/client/api-client';
import { firmwareKey } from '@isotherm/simulator/fleet/firmware-key';
import { installCameras } from '@isotherm/simulator/records/cameras';
import { keepRecords, startRecording } from '@isotherm/simulator/records/keep-records';
import { type DemoServer, startDemoServer } from '@isotherm/testkit/demo-server';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConsoleBrowser, logInAs, startConsoleBrowser } from './console-page.ts';
import {
  clippedLabels,
  DRESSES,
  faintWords,
  overflow,
  smallTargets,
  stands,
  violations,
} from './page-checks.ts';
import { recordCounts } from './record-counts.ts';

/**
 * Tests every page in every theme, language and width: no errors, no policy violations, no accessibility
 * violations.
 */
let demo: DemoServer;
let browser: ConsoleBrowser;

beforeAll(async () => {
  demo = await startDemoServer({ LOG_LEVEL: 'warn', ISOTHERM_ENVIRONMENT: 'development' });
  // The pages use the stored history; live readings would only keep them busy.
  const fleet = await demo.startFleet({ historyDays: 2, records: true });
  await fleet.program.stop();
  browser = await startConsoleBrowser();
});
afterAll(async () => {
  await browser?.close();
  await demo?.stop();
});

/** Pages without login, each with a text that shows that it is loaded. */
const WITHOUT_LOGIN = [
  { path: '/register', ready: 'h1, h2' },
  { path: '/registered', ready: 'h1, h2' },
  { path: '/apitool#createUser', ready: 'h2' },
  { path: '/404', ready: 'h1, h2' },
  { path: '/login', ready: 'input[type="password"]' },
];
const PAGES = [
  { path: '/dashboard', ready: '.dashboard-tile' },
  { path: '/monitor', ready: 'text=Vaccine fridge 03' },
  { path: '/alarm/current', ready: 'h1, h2' },
  { path: '/screen', ready: '.list-foot, h2' },
  { path: '/screen?new=1', ready: 'form input' },
  { path: '/alarm/policies', ready: '.list-foot' },
  { path: '/alarm/holidays', ready: '.list-foot, h2' },
  { path: '/alarm/handover', ready: 'h1, h2' },
  { path: '/report/records?assets=1,2,3&compare=before&days=all', ready: '.report-earlier' },
  { path: '/report/records', ready: 'h2' },
  { path: '/report/register', ready: '.list-foot, h2' },
  { path: '/report/compliance', ready: '.report-answer' },
  { path: '/report/alarms', ready: '.report-answer, h2' },
  { path: '/report/devices', ready: '.report-answer, h2' },
  { path: '/report/statistics', ready: '.report-answer' },
  { path: '/report/schedules', ready: '.list-foot, h2' },
  { path: '/report/schedules?new=1', ready: 'form input' },
  { path: '/setting/backup', ready: '.list-foot, h2' },
  { path: '/setting/backup?new=1', ready: 'form input' },
  { path: '/report/backup', ready: '.list-foot, h2' },
  { path: '/management/print-heads', ready: '.list-foot, h2' },
  { path: '/management/print-heads?new=1', ready: 'form input' },
  { path: '/announcement/list', ready: 'h2' },
  { path: '/announcement/manage', ready: '.list-foot' },
  { path: '/announcement/manage?announcement=1', ready: '.announcement-receipts table' },
  { path: '/announcement/manage?new=1', ready: '.announcement-editable' },
  { path: '/announcement/categories', ready: '.list-foot' },
  { path: '/announcement/user-groups', ready: '.list-foot' },
  { path: '/announcement/user-groups?new=1', ready: 'form input' },
  { path: '/alarm/messages', ready: '.list-foot, h2' },
  { path: '/device/alert-settings', ready: 'h1, h2' },
  { path: '/recharge/sms', ready: '.recharge-methods' },
  { path: '/recharge/records', ready: '.list-foot, h2' },
  { path: '/recharge/background', ready: '.list-foot, h2' },
  { path: '/recharge/refunds', ready: '.list-foot, h2' },
  { path: '/management/balance', ready: '.list-foot' },
  { path: '/management/prices', ready: '.list-foot, h2' },
  { path: '/management/channels', ready: 'h1, h2' },
  { path: '/management/payments', ready: 'h1, h2' },
  { path: '/alarm/policies?new=1', ready: '.graded-template' },
  { path: '/alarm/policies/1', ready: '.graded-step' },
  { path: '/alarm/policies/new?template=who-refrigerator', ready: '.graded-step' },
  { path: '/alarm/policies/new?profile=1', ready: '.graded-step' },
  { path: '/alarm/templates', ready: '.list-foot, h2' },
  { path: '/alarm/templates?new=1', ready: '.alarm-preview-text' },
  { path: '/device/alertors', ready: '.list-foot, h2' },
  { path: '/device/alertors?new=1', ready: 'form input' },
  { path: '/management/premium', ready: '.list-foot' },
  { path: '/recharge/records?tab=invoices', ready: '.list-foot, h2' },
  { path: '/management/prices?tab=renewals', ready: '.list-foot, h2' },
  { path: '/map/monitor?tab=all', ready: '.maps-row' },
  { path: '/map/carmonitor', ready: '.cars-card' },
  { path: '/map/carmonitor?as=list&new=1', ready: 'form input' },
  { path: '/map/overview', ready: '.overview-row, .maps-none' },
  { path: '/map/overview?tab=lanes', ready: '.overview-lane, .maps-none' },
  { path: '/map/replay', ready: '.notice' },
  { path: '/map/replay?assets=23', ready: '.maps-event' },
  { path: '/map/geofences', ready: '.maps-row, .notice' },
  { path: '/map/geofences?new=1', ready: 'form input' },
  { path: '/map/geofences?import=1', ready: '.import-drop' },
  { path: '/map/geofences?tab=events', ready: '.list-foot, h2' },
  { path: '/waybill/list', ready: '.list-foot' },
  { path: '/waybill/list?new=1', ready: 'form input' },
  { path: '/waybill/list/1', ready: '.waybill-figures' },
  { path: '/waybill/trips', ready: '.trip-card' },
  { path: '/waybill/trips/4', ready: '.trip-facts' },
  { path: '/waybill/trips/4?sign=deliver', ready: '.trip-pad' },
  { path: '/waybill/clients', ready: '.list-foot' },
  { path: '/waybill/clients?new=1', ready: 'form input' },
  { path: '/waybill/profiles', ready: '.list-foot' },
  { path: '/waybill/profiles?profile=1', ready: '.definitions' },
  { path: '/waybill/profiles?new=1', ready: 'form input' },
  { path: '/device/receivers', ready: '.list-foot' },
  { path: '/management/advanced-alarms', ready: '.list-foot' },
  { path: '/alarm/on-call', ready: '.oncall-page' },
  { path: '/alarm/suppressions', ready: '.list-foot' },
  { path: '/alarm/tests', ready: '.list-foot, h2' },
  { path: '/alarm/tests?new=1', ready: 'form input' },
  { path: '/alarm/tests?tab=schedules&new=1', ready: 'form input' },
  { path: '/alarm/suppressions?new=1', ready: 'form textarea' },
  { path: '/alarm/suppressions?window=1', ready: '.suppression-facts' },
  { path: '/device/recipient-groups', ready: '.list-foot' },
  { path: '/device/list', ready: 'text=31020201' },
  { path: '/device/list?new=1', ready: 'form input' },
  { path: '/device/list?import=1', ready: '.import-drop' },
  { path: '/device/expired', ready: 'h1, h2' },
  { path: '/device/upgrade', ready: 'h1, h2' },
  { path: '/device/upgrade?new=1', ready: 'form textarea' },
  { path: '/device/upgrade?key=1', ready: 'form textarea' },
  { path: '/device/stats', ready: '.stats-total' },
  { path: '/asset/maintenance', ready: 'h1, h2' },
  { path: '/asset/maintenance?new=1', ready: '.maintenance-measure' },
  { path: '/recharge/reminders', ready: '.list-foot, h2' },
  { path: '/recharge/reminders?tab=reminders&new=1', ready: 'form input' },
  { path: '/recharge/reminders?tab=policy', ready: 'form input' },
  { path: '/asset/validation', ready: '.list-foot, h2' },
  { path: '/asset/validation?new=1', ready: 'form input' },
  { path: '/device/calibration', ready: '.list-foot' },
  { path: '/device/calibration?tab=never', ready: '.list-foot' },
  { path: '/device/calibration?new=1', ready: '.calibration-point' },
  { path: '/asset/vehicles', ready: '.list-foot' },
  { path: '/asset/refrigerators?new=1', ready: 'form input' },
  { path: '/asset/files', ready: 'h1, h2' },
  { path: '/asset/floor-plans', ready: '.plan-mark' },
  { path: '/asset/floor-plans?new=1', ready: 'form input' },
  { path: '/asset/groups', ready: 'h1, h2' },
  { path: '/asset/nfc?new=1', ready: 'form input' },
  { path: '/asset/webcams', ready: '.list-foot' },
  { path: '/asset/webcams?new=1', ready: 'form input' },
  { path: '/asset/webcams?tab=accounts&new=1', ready: 'form input' },
  { path: '/asset/history', ready: 'h1, h2' },
  { path: '/device/list/31020201', ready: '.detail-head' },
  { path: '/device/list/31020201/connect', ready: '.device-connect' },
  { path: '/device/commands', ready: 'h1, h2' },
  { path: '/device/commands?new=1', ready: 'form input' },
  { path: '/device/mappings', ready: 'h1, h2' },
  { path: '/device/mappings?new=1', ready: '.mapping-try' },
  { path: '/device/mappings?connect=1', ready: '.mapping-line' },
  { path: '/management/organizations?id=2', ready: 'article' },
  { path: '/management/organizations?id=2&do=create', ready: 'form input' },
  { path: '/management/users', ready: 'text=demo.keeper' },
  { path: '/management/users?new=1', ready: 'form input' },
  { path: '/management/users/1', ready: 'h1, h2' },
  { path: '/management/roles', ready: '.list-foot' },
  { path: '/management/roles?role=4', ready: '.permission-summary' },
  { path: '/management/roles?new=1', ready: '.permission-tree .ant-tree-checkbox' },
  { path: '/management/account', ready: 'form input' },
  { path: '/management/account?tab=security', ready: 'input[type="password"]' },
  { path: '/management/account?tab=sessions', ready: '.sessions li' },
  { path: '/management/authorizations', ready: 'h2, .list-foot' },
  { path: '/management/logs', ready: '.list-foot' },
  { path: '/management/menus', ready: '[role="treeitem"]' },
  { path: '/management/dictionary', ready: 'h1, h2' },
  { path: '/setting/website', ready: 'h1, h2' },
  { path: '/setting/registration', ready: '[role="switch"]' },
  { path: '/setting/timezone', ready: 'h1, h2' },
  { path: '/help', ready: '.help-card' },
  { path: '/help/assets', ready: '.help-table' },
  { path: '/mailbox', ready: 'h1, h2' },
];
const ASSET_TABS = ['alarms', 'camera', 'sensors', 'rules', 'plan', 'files', 'record', 'history'];

test('the demo has records on every page, and seeding it again adds nothing', async () => {
  const [account] = demo.accounts as [DemoServer['accounts'][number]];
  const manager = await logIn(demo.url, account.username, account.password);
  const made = await recordCounts(manager);
  expect(made).toMatchObject({
    files: 6,
    tags: 6,
    keys: 1,
    plans: 2,
    maintenance: 8,
    reminders: 1,
    users: 6,
    rollouts: 1,
    mappings: 3,
    policies: 11,
    products: 6,
    waybills: 10,
    // In every state, and some depart and arrive by geofences.
    waybillStates: WAYBILL_STATES.toSorted(),
    automaticWaybills: 3,
    geofences: 7,
    statuses: 3,
    suppressions: 2,
    cameras: 3,
    groups: 6,
    firmware: 2,
    studies: ['judged', 'judged', 'planned'],
    calibrations: { never: 7, valid: 26, 'due-soon': 5, overdue: 1 },
  });
  expect(made.commands).toBeGreaterThanOrEqual(4);
  const recording = await startRecording(manager, {
    makers: firmwareKey('f'.repeat(32)),
    keyOf: (serial) => serial.repeat(8),
    startMs: Date.now(),
    historyDays: 2,
  });
  await keepRecords(recording);
  await installCameras(recording, (code) => `http://127.0.0.1:9/camera/${code}`);
  expect(await recordCounts(manager)).toEqual(made);
});

async function wear(page: Page, theme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme: theme });
  await page.waitForFunction((wanted) => document.documentElement.dataset.theme === wanted, theme);
}

/** Time limit for more than a hundred pages and tabs with axe on each: minutes alone, more when other tests run. */
const LOOKS_FOR_MS = 1_200_000;

test.concurrent.for(DRESSES)(
  'every page has no errors and no accessibility violations in $name',
  { timeout: LOOKS_FOR_MS },
  async (dress, { expect }) => {
    const { page, faults, context, travel, settled } = await browser.open(dress);
    const wrong: string[] = [];
    const look = async (what: string) => {
      await settled();
      const found = await violations(page, dress.rules);
      wrong.push(...[...found, ...(await clippedLabels(page))].map((each) => `${what}: ${each}`));
      const excess = await overflow(page);
      if (excess > 0) wrong.push(`${what}: ${excess} px wider than the screen`);
      if (dress.fingers) wrong.push(...(await smallTargets(page)).map((each) => `${what}: ${each}`));
      if (dress.alsoDark) {
        await wear(page, 'dark');
        await settled();
        wrong.push(...(await faintWords(page)).map((each) => `${what}, dark: ${each}`));
        // The theme is changed completely before the next page is opened, so that no page is opened during
        // the change.
        await wear(page, 'light');
        await settled();
      }
      wrong.push(...faults.splice(0).map((fault) => `${what}: ${fault}`));
    };
    for (const { path, ready } of WITHOUT_LOGIN) {
      await page.goto(demo.url + path);
      await page.locator(`${ready} >> visible=true`).first().waitFor();
      await look(path);
    }
    await page.locator('.login-label button').click();
    await page.locator('input[autocomplete="one-time-code"]').waitFor();
    await look('forgotten password');

    await logInAs(page, demo.url, 'demo.platform', 'Isotherm-2026');
    for (const { path, ready } of PAGES) {
      await travel(path);
      await stands(page, ready);
      await look(path);
    }
    await travel('/monitor');
    await page.locator('.kept-page:visible').getByText('Vaccine fridge 03').first().click();
    await page.waitForURL(/\/asset\/\d+/);
    await page.locator('canvas').first().waitFor();
    await look('asset, curve');
    const asset = new URL(page.url()).pathname;
    for (const tab of ASSET_TABS) {
      await travel(`${asset}?tab=${tab}`);
      await page.locator(`[role="tab"][aria-selected="true"][id*="${tab}"]`).waitFor();
      await look(`asset, ${tab}`);
    }
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').waitFor();
    await page.getByRole('option').first().waitFor();
    await look('search');
    await page.locator('.search-box input').fill('fridge');
    await page.locator('[id$="-all-assets"]').waitFor();
    await look('search, records');
    await page.keyboard.press('Escape');
    await page.locator('.help-button').click();
    await page.locator('.help-page').waitFor();
    await look('help of a page');
    expect(wrong).toEqual([]);
    await context.close();
  },
);
