import { AppError } from '@isotherm/contracts/errors';
import type { QueryOf, ResponseOf } from '@isotherm/contracts/route';
import type { reportValidationStudy } from '@isotherm/contracts/validation-studies';
import type { Translate } from '@isotherm/i18n/translator';
import type pg from 'pg';
import type { Audit } from '../../platform/audit/audit.ts';
import type { Clock } from '../../platform/clock.ts';
import { writePdf } from '../../platform/documents/pdf.ts';
import { createGate } from '../../platform/gate.ts';
import type { Caller } from '../../platform/http/caller.ts';
import { findStudy, listStudySensors } from './studies.repo.ts';
import { studyReport } from './study-report.ts';
import { findUnit } from './units.repo.ts';

/**
 * Only one report is written at a time: the layout takes some tenths of a second, during which the event
 * loop is blocked.
 */
const WRITING = { atOnce: 1, waiting: 10 };

export interface StudyReports {
  /** Throws `validation.not_found|not_judged`, `request.too_many`. */
  write(
    caller: Caller,
    id: number,
    asked: { zone: QueryOf<typeof reportValidationStudy>['zone']; host: string },
  ): Promise<ResponseOf<typeof reportValidationStudy>>;
}

export function createStudyReports(parts: {
  pool: pg.Pool;
  audit: Pick<Audit, 'recordAlone'>;
  clock: Clock;
  translate: Translate;
  /** Returns the product name of the installation for a host. */
  brandOf(host: string): Promise<string>;
}): StudyReports {
  const { pool, audit, clock, translate, brandOf } = parts;
  const gate = createGate(WRITING, () => new AppError('request.too_many'));
  return {
    write: (caller, id, { zone, host }) =>
      gate.pass(async () => {
        const at = new Date(clock.now());
        const study = await findStudy(pool, caller.scope, id, at);
        if (!study) throw new AppError('validation.not_found');
        const { result, verifierUnitId } = study;
        if (!result) throw new AppError('validation.not_judged');
        const [sensors, unit, brand] = await Promise.all([
          listStudySensors(pool, study.channels, study.to),
          // The unit is looked up without the caller's scope, because the name of a superior organisation's
          // unit is visible with the study.
          verifierUnitId === null ? null : findUnit(pool, '/', verifierUnitId),
          brandOf(host),
        ]);
        const by = caller.realname || caller.username;
        const report = studyReport(
          { study, result, sensors, unit, brand, by, at, zone, language: caller.language },
          translate,
        );
        const bytes = await writePdf(report);
        const fileName = `validation-${id}.pdf`;
        await audit.recordAlone(caller, {
          action: 'export',
          objectKind: 'validation-study',
          objectId: id,
          objectName: `${study.asset.name} · ${study.name}`,
          after: { format: 'pdf', verdict: result.verdict },
          organizationPath: study.organizationPath,
        });
        return { fileName, content: bytes.toString('base64') };
      }),
  };
}
