import {
  createValidationStudy,
  createVerifierUnit,
  deleteValidationStudy,
  deleteVerifierUnit,
  editValidationStudy,
  editVerifierUnit,
  getValidationStudy,
  judgeValidationStudy,
  listStudyChannels,
  listValidationStudies,
  listVerifierUnits,
  reportValidationStudy,
} from '@isotherm/contracts/validation-studies';
import type { Mount } from '../../platform/http/mount.ts';
import type { StudiesService } from './studies.service.ts';
import type { StudyReports } from './study-report.service.ts';
import type { UnitsService } from './units.service.ts';

export function mountValidation(
  mount: Mount,
  studies: StudiesService,
  units: UnitsService,
  reports: StudyReports,
): void {
  mount(listVerifierUnits, ({ caller, query }) => units.list(caller, query));
  mount(createVerifierUnit, ({ caller, body }) => units.create(caller, body));
  mount(editVerifierUnit, ({ caller, params, body }) => units.edit(caller, params.id, body));
  mount(deleteVerifierUnit, ({ caller, params, body }) => units.remove(caller, params.id, body.reason));
  mount(listValidationStudies, ({ caller, query }) => studies.list(caller, query));
  mount(getValidationStudy, ({ caller, params }) => studies.get(caller, params.id));
  mount(listStudyChannels, ({ caller, query }) => studies.channels(caller, query.assetId));
  mount(createValidationStudy, ({ caller, body }) => studies.create(caller, body));
  mount(editValidationStudy, ({ caller, params, body }) => studies.edit(caller, params.id, body));
  mount(deleteValidationStudy, ({ caller, params, body }) => studies.remove(caller, params.id, body.reason));
  mount(judgeValidationStudy, ({ caller, params }) => studies.judge(caller, params.id));
  mount(reportValidationStudy, ({ caller, params, query, host }) =>
    reports.write(caller, params.id, { zone: query.zone, host }),
  );
}
