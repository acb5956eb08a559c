import { AppError } from '@isotherm/contracts/errors';
import type { QueryOf, ResponseOf } from '@isotherm/contracts/route';
import type { reportValidationStudy } from '@isotherm/contracts/validation-studies';
import type { Translate } from '@isotherm/i18n/translator';
import type pg from 'pg';
import type { Clock } from '../../platform/clock.ts';
import type { Caller } from '../../platform/http/caller.ts';
import type { ReportRegister } from '../../platform/reports/reports.ts';
import { findStudy, listStudySensors } from './studies.repo.ts';
import { studyReport } from './study-report.ts';
import { findUnit } from './units.repo.ts';

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
  reports: Pick<ReportRegister, 'write'>;
  clock: Clock;
  translate: Translate;
  /** Returns the product name of the installation for a host. */
  brandOf(host: string): Promise<string>;
}): StudyReports {
  const { pool, reports, clock, translate, brandOf } = parts;
  return {
    async write(caller, id, { zone, host }) {
      const bytes = await reports.write(caller, async () => {
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
        return {
          document: studyReport(
            { study, result, sensors, unit, brand, by, at, zone, language: caller.language },
            translate,
          ),
          entry: {
            kind: 'validation-study',
            organizationId: study.organizationId,
            object: {
              objectKind: 'validation-study',
              objectId: id,
              objectName: `${study.asset.name} · ${study.name}`,
              organizationPath: study.organizationPath,
            },
            after: { verdict: result.verdict },
          },
        };
      });
      return { fileName: `validation-${id}.pdf`, content: bytes.toString('base64') };
    },
  };
}
