export type { AlarmView } from './alarm-view.repo.ts';
export { createAlarmJobs } from './alarms.job.ts';
export { mountAlarms } from './alarms.routes.ts';
export { type AlarmsService, createAlarmsService } from './alarms.service.ts';
export { createRules } from './create-rules.ts';
export { createEndRetired } from './end-retired.ts';
export { createEvaluator, type News } from './evaluator.ts';
export { createRuleBook } from './rule-book.ts';
export { createSilenceWatch } from './silence.ts';
