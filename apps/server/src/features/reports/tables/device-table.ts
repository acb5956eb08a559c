import type { Translate } from '@isotherm/i18n/translator';
import { NONE } from '../record-words.ts';
import type { ReportDocument } from '../report-document.ts';
import type { DocumentInput } from './alarm-table.ts';
import { reportTexts } from './report-texts.ts';
import type { DeviceRow } from './tables.repo.ts';

const ON_PAPER = 500;

export interface DeviceReportData {
  rows: DeviceRow[];
  days: { day: string; received: number; due: number; devices: number; silent: number }[];
}

export interface DeviceSite {
  organizationId: number;
  name: string;
  devices: number;
  received: number;
  due: number;
  deviceDays: number;
  silentDays: number;
  silentDevices: number;
  alarms: number;
}

/** Sums the devices of each site. */
export function deviceSites(rows: readonly DeviceRow[]): DeviceSite[] {
  const sites = new Map<number, DeviceSite>();
  for (const row of rows) {
    let site = sites.get(row.siteId);
    if (!site) {
      site = {
        organizationId: row.siteId,
        name: row.site,
        devices: 0,
        received: 0,
        due: 0,
        deviceDays: 0,
        silentDays: 0,
        silentDevices: 0,
        alarms: 0,
      };
      sites.set(row.siteId, site);
    }
    site.devices++;
    site.received += row.received;
    site.due += row.due;
    site.deviceDays += row.days;
    site.silentDays += row.silentDays;
    if (row.silentDays > 0) site.silentDevices++;
    site.alarms += row.alarms;
  }
  return [...sites.values()].sort((a, b) => b.devices - a.devices || a.organizationId - b.organizationId);
}

/** Sums of all devices. */
export function deviceTotals(sites: readonly DeviceSite[]) {
  const sum = (of: (site: DeviceSite) => number) => sites.reduce((total, site) => total + of(site), 0);
  return {
    received: sum(({ received }) => received),
    due: sum(({ due }) => due),
    deviceDays: sum(({ deviceDays }) => deviceDays),
    silentDays: sum(({ silentDays }) => silentDays),
    silentDevices: sum(({ silentDevices }) => silentDevices),
  };
}

/** Lays out a report of devices as tables. */
export function deviceDocument(
  { rows, days }: DeviceReportData,
  { scope, zone, language, by, at }: DocumentInput,
  translate: Translate,
): ReportDocument {
  const { text, moment, short, count, share } = reportTexts(language, zone, translate);
  const sites = deviceSites(rows);
  const totals = deviceTotals(sites);
  return {
    title: text('jobs.kind.device-report'),
    subject: scope.name,
    period: `${short(scope.from)} ${NONE} ${short(scope.to)} · ${zone}`,
    answer:
      rows.length === 0
        ? text('reports.devices.none')
        : totals.due === 0
          ? text('reports.devices.uncounted')
          : text('reports.devices.answer', {
              count: rows.length,
              share: share(totals.received, totals.due),
              silent: totals.silentDevices,
            }),
    facts: [
      [text('logs.from'), moment(scope.from)],
      [text('logs.to'), moment(scope.to)],
      [text('users.time-zone'), zone],
      [text('reports.completeness'), share(totals.received, totals.due)],
      [text('reports.fact.created'), moment(at)],
      [text('reports.fact.created-by'), by],
    ],
    sections: [
      {
        heading: text('reports.compliance.sites'),
        columns: [
          { title: text('reports.compliance.site') },
          { title: text('reports.devices.devices'), width: 50, figure: true },
          { title: text('reports.completeness'), width: 70, figure: true },
          { title: text('reports.devices.silent-days'), width: 80, figure: true },
          { title: text('reports.alarms.alarms'), width: 50, figure: true },
        ],
        rows: sites.map((site) => [
          site.name,
          count(site.devices),
          share(site.received, site.due),
          count(site.silentDays),
          count(site.alarms),
        ]),
        empty: text('reports.devices.none'),
      },
      {
        heading: text('reports.devices.days'),
        columns: [
          { title: text('reports.devices.day') },
          { title: text('reports.devices.devices'), width: 60, figure: true },
          { title: text('reports.completeness'), width: 90, figure: true },
          { title: text('reports.devices.silent'), width: 90, figure: true },
        ],
        rows: days.map((day) => [
          day.day,
          count(day.devices),
          share(day.received, day.due),
          count(day.silent),
        ]),
        empty: text('reports.devices.uncounted'),
      },
      {
        heading: text('reports.devices.devices'),
        columns: [
          { title: text('curve.export.device'), width: 54 },
          { title: text('reports.schedule.name') },
          { title: text('reports.devices.model'), width: 60 },
          { title: text('reports.compliance.site'), width: 0 },
          { title: text('reports.column.asset') },
          { title: text('reports.completeness'), width: 60, figure: true },
          { title: text('reports.devices.received'), width: 0, figure: true },
          { title: text('reports.devices.due'), width: 0, figure: true },
          { title: text('reports.devices.silent-days'), width: 60, figure: true },
          { title: text('reports.devices.battery'), width: 40, figure: true },
          { title: text('reports.alarms.alarms'), width: 40, figure: true },
          { title: text('reports.devices.expires'), width: 0 },
        ],
        rows: rows.map((row) => [
          row.number,
          row.name,
          row.model || NONE,
          row.site,
          row.asset || NONE,
          share(row.received, row.due),
          count(row.received),
          count(row.due),
          count(row.silentDays),
          row.battery === null ? NONE : `${count(row.battery)} %`,
          count(row.alarms),
          short(row.expiresAt),
        ]),
        empty: text('reports.devices.none'),
        onPaper: {
          most: ON_PAPER,
          limited: text('reports.rows.limited', { shown: ON_PAPER, total: rows.length }),
        },
      },
    ],
    method: text('reports.devices.method'),
  };
}
