import { setImmediate } from 'node:timers/promises';
import { getComplianceReport, orderComplianceReport } from '@isotherm/contracts/compliance';
import type { Translate } from '@isotherm/i18n/translator';
import type pg from 'pg';
import type { z } from 'zod';
import type { Clock } from '../../../platform/clock.ts';
import type { Gate } from '../../../platform/gate.ts';
import { type Caller, ownerOf, personOf } from '../../../platform/http/caller.ts';
import type { Mount } from '../../../platform/http/mount.ts';
import type { ReportRegister } from '../../../platform/reports/reports.ts';
import type { JobContent, JobWork } from '../../../platform/result-jobs/job-kind.ts';
import type { ResultJobs } from '../../../platform/result-jobs/result-jobs.ts';
import { subjectOf } from '../../telemetry/index.ts';
import { writeDocument } from '../write-document.ts';
import { listComplianceExcursions } from './compliance.repo.ts';
import { complianceDocument } from './compliance-document.ts';
import {
  type ComplianceAsked,
  type ComplianceReport,
  complianceRange,
  complianceSubject,
  computeCompliance,
} from './compliance-report.ts';
import { viewOf } from './compliance-views.ts';

type Ordered = z.output<(typeof orderComplianceReport)['body']>;

/** Excursions that files list. */
const MOST_EXCURSIONS = 50_000;
/** Share of the progress of a file in which the report is computed. */
const COMPUTED_PART = 0.9;

/** Registers the job and mounts the routes of compliance reports (docs/reports.md). */
export function createCompliance(parts: {
  pool: pg.Pool;
  reportPool: pg.Pool;
  resultJobs: ResultJobs;
  register: Pick<ReportRegister, 'write'>;
  clock: Clock;
  translate: Translate;
  brand(): Promise<string>;
  /** Limits the reports that are computed for pages at the same time. */
  showing: Gate;
}): { mount(mount: Mount): void } {
  const { pool, reportPool, resultJobs, clock, showing } = parts;

  async function compute(
    db: pg.Pool,
    caller: Caller,
    asked: ComplianceAsked,
    between: (part: number) => Promise<void>,
  ): Promise<ComplianceReport> {
    const range = complianceRange(asked);
    const subject = await complianceSubject(db, caller, asked, new Date(range.to));
    const name = subject.organization ?? subjectOf(subject.rows.map((row) => row.name));
    return computeCompliance(db, { ...subject, name }, asked.pack, range, clock.now(), between);
  }

  async function content(caller: Caller, asked: Ordered, work: JobWork): Promise<JobContent> {
    const report = await compute(reportPool, caller, asked, async (part) => {
      work.signal.throwIfAborted();
      work.progress(part * COMPUTED_PART);
      await setImmediate();
    });
    const { from, to } = report.range;
    const excursions = await listComplianceExcursions(
      reportPool,
      report.assets.map(({ row }) => row.id),
      new Date(from),
      new Date(to),
      MOST_EXCURSIONS,
    );
    const { zone, format } = asked;
    const { language } = caller;
    const input = { zone, language, by: caller.realname || caller.username, at: new Date(clock.now()) };
    const [first] = report.assets;
    return writeDocument(
      parts,
      caller,
      complianceDocument({ report, excursions, ...input }, parts.translate),
      {
        ...input,
        format,
        range: report.range,
        fileName: `compliance-${asked.pack}`,
        kind: 'compliance',
        object: {
          objectKind: asked.assets ? 'asset' : 'organization',
          objectId: asked.assets ? (first?.row.id ?? 0) : (asked.organizationId ?? caller.organizationId),
          objectName: report.subject,
          organizationPath: caller.scope,
        },
      },
    );
  }

  const check = async (caller: Caller, asked: ComplianceAsked) => {
    const range = complianceRange(asked);
    return complianceSubject(pool, caller, asked, new Date(range.to));
  };

  resultJobs.register({
    name: 'compliance-report',
    permission: orderComplianceReport.access,
    parameters: orderComplianceReport.body,
    check,
    run: content,
  });

  return {
    mount(mount) {
      mount(
        getComplianceReport,
        ({ caller, query: { site, failing, search, sort, order, page, ...asked } }) =>
          showing.pass(async () => {
            const report = await compute(pool, caller, asked, async () => void (await setImmediate()));
            return viewOf(report, { site, failing, search }, { sort, order, page });
          }, ownerOf(caller)),
      );
      mount(orderComplianceReport, async ({ caller, body }) => {
        const { rows, organization } = await check(caller, body);
        return resultJobs.order(personOf(caller), {
          kind: 'compliance-report',
          subject: organization ?? subjectOf(rows.map(({ name }) => name)),
          parameters: body,
        });
      });
    },
  };
}
