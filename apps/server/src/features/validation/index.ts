export { createStudiesService } from './studies.service.ts';
export { createStudyReports } from './study-report.service.ts';
export { createUnitsService } from './units.service.ts';
export { mountValidation } from './validation.routes.ts';
