import { orderComplianceReport } from '@isotherm/contracts/compliance';
import { SCHEDULED_KINDS, type ScheduledKind } from '@isotherm/contracts/report-schedules';
import { orderRecordReport } from '@isotherm/contracts/reports';
import { orderAlarmReport, orderDeviceReport, orderStatistics } from '@isotherm/contracts/table-reports';
import { expect, it } from 'vitest';
import type { z } from 'zod';
import { orderOf } from './scheduled-kinds.ts';

const BODIES: Record<ScheduledKind, z.ZodType> = {
  'record-report': orderRecordReport.body,
  'alarm-report': orderAlarmReport.body,
  'device-report': orderDeviceReport.body,
  'compliance-report': orderComplianceReport.body,
  'statistics-report': orderStatistics.body,
};
const PERIOD = { from: Date.UTC(2026, 10, 1), to: Date.UTC(2026, 10, 8) };

it.each(SCHEDULED_KINDS)('the order of a scheduled %s is what its job takes', (kind) => {
  const schedule = {
    kind,
    name: 'Weekly',
    assets: kind === 'record-report' ? [1] : [],
    format: 'pdf' as const,
    pack: 'gsp' as const,
    organizationId: 4,
  };
  const order = orderOf(schedule, PERIOD, 'Asia/Shanghai');
  expect(order).toMatchObject({ kind, subject: 'Weekly' });
  expect(BODIES[kind].parse(order.parameters)).toMatchObject({ from: '2026-11-01T00:00:00.000Z' });
});

it('scheduled statistics are about the whole organisation, even if assets were chosen before', () => {
  const schedule = {
    kind: 'statistics-report' as const,
    name: 'Weekly',
    assets: [1, 2],
    format: 'csv' as const,
    pack: 'gsp' as const,
    organizationId: 4,
  };
  const { parameters } = orderOf(schedule, PERIOD, 'UTC');
  expect(parameters).toMatchObject({ organizationId: 4, group: 'site' });
  expect(parameters).not.toHaveProperty('assets');
});
