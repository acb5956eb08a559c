import type { CallTools, Step } from './call-steps.ts';

/**
 * Returns the calls of certificates, maintenance records, verifier units and validation studies, each with
 * its own record.
 */
export function upkeepSteps(
  { one, unique, demo, why }: CallTools,
  /** A device in the organisation of all targets. */
  { channel, asset, number }: { channel: number; asset: number; number: string },
): Record<string, () => Promise<Step> | Step> {
  const sensor = () => one('select sensor_id as id from channel where id = $1', [channel]);
  const calibrationForm = () => ({
    certificate: unique(),
    laboratory: 'Matrix',
    calibratedOn: '2026-01-01',
    dueOn: '2099-01-01',
    appliedFrom: null,
    points: [],
  });
  const calibration = async () =>
    one(
      `insert into calibration (sensor_id, serial, certificate, laboratory, calibrated_on, due_on, changed_by, changed_at)
       values ($1, '', $2, 'Matrix', '2026-01-01', '2099-01-01', 'test', now()) returning id`,
      [await sensor(), unique()],
    );
  const maintenanceForm = () => ({ kind: 'service', doneOn: '2026-01-01', doneBy: unique(), measured: {} });
  const maintenance = () =>
    one(
      `insert into maintenance_record (asset_id, kind, done_on, done_by, measured, changed_by, changed_at)
       values ($1, 'service', '2026-01-01', $2, '{}', 'test', now()) returning id`,
      [asset, unique()],
    );
  /** Returns the alarm of the asset, without files of earlier calls, since their number is limited. */
  const alarm = () =>
    one(
      `with gone as (delete from record_file where subject_kind = 'alarm')
       select id from alarm where asset_id = $1 order by id limit 1`,
      [asset],
    );
  const pdf = { name: 'paper.pdf', bytes: Buffer.from('%PDF-1.4') };
  /** Returns the calls of the attachments of one kind of record, each with its own record. */
  const fileSteps = (
    name: string,
    kind: string,
    make: () => Promise<number>,
  ): Record<string, () => Promise<Step>> => {
    const outside = `${kind}.not_found`;
    const stored = async () => {
      const id = await make();
      const file = await one(
        `insert into record_file (subject_kind, subject_id, name, media_type, bytes, added_by, added_at)
         values ($1, $2, 'paper', 'application/pdf', '%PDF-', 'test', now()) returning id`,
        [kind, id],
      );
      return { id, file };
    };
    return {
      [`add${name}File`]: async () => ({
        params: { id: await make() },
        fields: { file: pdf, name: 'paper' },
        outside,
      }),
      [`delete${name}File`]: async () => ({ params: await stored(), json: why, outside }),
      [`list${name}Files`]: async () => ({ params: { id: (await stored()).id }, outside }),
      [`read${name}File`]: async () => ({ params: await stored(), outside }),
    };
  };
  const studyForm = () => ({
    name: unique(),
    type: 'full',
    zoneMin: 2,
    zoneMax: 8,
    channels: [channel],
    from: '2020-01-01T00:00:00.000Z',
    to: '2020-01-02T00:00:00.000Z',
  });
  const reminderForm = () => ({
    kinds: ['device'],
    daysBefore: 30,
    repeatDays: 7,
    recipients: ['care@example.com'],
    enabled: false,
  });
  const reminder = () =>
    one(
      `insert into expiry_reminder (organization_id, kinds, days_before, repeat_days, recipients, enabled, language,
                                    changed_by, changed_at)
       values ($1, '{device}', 30, 7, '{care@example.com}', false, 'en', 'test', now())
       on conflict (organization_id) do update set changed_at = now() returning id`,
      [demo],
    );
  const warningForm = () => ({
    smsBelow: 100,
    voiceBelow: 20,
    emails: ['care@example.com'],
    mobiles: [],
    enabled: false,
  });
  const warning = () =>
    one(
      `insert into balance_warning (organization_id, sms_below, voice_below, emails, mobiles, enabled, language, changed_by,
                                    changed_at)
       values ($1, 100, 20, '{care@example.com}', '{}', false, 'en', 'test', now())
       on conflict (organization_id) do update set changed_at = now() returning id`,
      [demo],
    );
  const unit = () =>
    one(
      `insert into verifier_unit (organization_id, name, changed_by, changed_at) values ($1, $2, 'test', now()) returning id`,
      [demo, unique()],
    );
  const unitForm = () => ({ name: unique() });
  /** Returns a study that begins an hour ago, while the device was sending. */
  const study = () =>
    one(
      `insert into validation_study (asset_id, name, type, zone_min, zone_max, from_at, to_at, channel_ids, changed_by,
                                     changed_at)
       values ($1, $2, 'full', 2, 8, now() - interval '1 hour', now() - interval '1 second', $3, 'test', now()) returning id`,
      [asset, unique(), [channel]],
    );
  const judgedStudy = async () => {
    const id = await study();
    const figures = { min: 4, max: 6, mean: 5, meanKinetic: 5 };
    const point = { channelId: channel, count: 60, coverage: 1, outsideMs: 0, ...figures };
    const spots = { uniformity: 0, hotSpot: channel, coldSpot: channel, verdict: 'passed' };
    const result = JSON.stringify({ points: [point], ...figures, ...spots });
    return one(
      `update validation_study set result = $2, judged_by = 'test', judged_at = now() where id = $1 returning id`,
      [id, result],
    );
  };
  const step =
    (make: () => Promise<number>, outside: string, json?: () => object) => async (): Promise<Step> => ({
      params: { id: await make() },
      ...(json ? { json: json() } : {}),
      outside,
    });
  const holdsId = (id: number) => (data: unknown) =>
    (data as { items: { id: number }[] }).items.some((item) => item.id === id);
  return {
    ...fileSteps('Alarm', 'alarm', alarm),
    ...fileSteps('Calibration', 'calibration', calibration),
    ...fileSteps('Maintenance', 'maintenance', maintenance),
    countCalibrations: () => ({
      holds: (data) => Object.values(data as Record<string, number>).some((count) => count > 0),
    }),
    createCalibration: async () => ({
      json: { sensorId: await sensor(), ...calibrationForm() },
      outside: 'sensor.not_found',
    }),
    deleteCalibration: step(calibration, 'calibration.not_found', () => why),
    editCalibration: step(calibration, 'calibration.not_found', calibrationForm),
    findCalibratedSensors: () => ({
      query: { search: number },
      holds: (data) => JSON.stringify(data).includes(number),
    }),
    getCalibration: step(calibration, 'calibration.not_found'),
    async listCalibrations() {
      const id = await calibration();
      return { query: { search: number, shown: 'all', pageSize: '200' }, holds: holdsId(id) };
    },
    async listUncalibratedSensors() {
      const serial = unique();
      await one(
        `insert into sensor (device_id, index, serial, name)
         select d.id, (select max(index) + 1 from sensor where device_id = d.id), $2, 'Matrix'
           from device d where d.number = $1 returning id`,
        [number, serial],
      );
      return { query: { search: serial }, holds: (data) => JSON.stringify(data).includes(serial) };
    },
    createValidationStudy: () => ({ json: { assetId: asset, ...studyForm() }, outside: 'asset.not_found' }),
    deleteValidationStudy: step(study, 'validation.not_found', () => why),
    editValidationStudy: step(study, 'validation.not_found', studyForm),
    getValidationStudy: step(study, 'validation.not_found'),
    judgeValidationStudy: step(study, 'validation.not_found'),
    listStudyChannels: () => ({ query: { assetId: String(asset) }, outside: 'asset.not_found' }),
    async listValidationStudies() {
      const id = await study();
      return { query: { pageSize: '200' }, holds: holdsId(id) };
    },
    createVerifierUnit: () => ({
      json: { organizationId: demo, ...unitForm() },
      outside: 'organization.not_found',
    }),
    deleteVerifierUnit: step(unit, 'verifier.not_found', () => why),
    editVerifierUnit: step(unit, 'verifier.not_found', unitForm),
    async listVerifierUnits() {
      const id = await unit();
      return { query: { pageSize: '200' }, holds: holdsId(id) };
    },
    async reportValidationStudy() {
      const id = await judgedStudy();
      return { params: { id }, query: { zone: 'Asia/Shanghai' }, outside: 'validation.not_found' };
    },
    async createReminder() {
      // An organisation has at most one reminder, so an existing one is deleted first.
      await one(
        'with gone as (delete from expiry_reminder where organization_id = $1 returning 1) select count(*) as id from gone',
        [demo],
      );
      return { json: { organizationId: demo, ...reminderForm() }, outside: 'organization.not_found' };
    },
    deleteReminder: step(reminder, 'reminder.not_found', () => why),
    editReminder: step(reminder, 'reminder.not_found', reminderForm),
    editRenewalPolicy: () => ({
      json: {
        effectiveOn: '2023-06-15',
        expiringMonths: 3,
        lapsedMonths: 3,
        fee: 100,
        currency: 'CNY',
        hotline: '',
      },
    }),
    getReminder: step(reminder, 'reminder.not_found'),
    async listDue() {
      const name = unique();
      await one(
        `insert into asset_file (asset_id, kind, name, valid_until) values ($1, 'certificate', $2, '2000-01-01') returning id`,
        [asset, name],
      );
      return {
        query: { search: name, span: 'overdue' },
        holds: (data) => JSON.stringify(data).includes(name),
      };
    },
    async createBalanceWarning() {
      // An organisation has at most one warning, so an existing one is deleted first.
      await one(
        'with gone as (delete from balance_warning where organization_id = $1 returning 1) select count(*) as id from gone',
        [demo],
      );
      return { json: { organizationId: demo, ...warningForm() }, outside: 'organization.not_found' };
    },
    deleteBalanceWarning: step(warning, 'balance_warning.not_found', () => why),
    editBalanceWarning: step(warning, 'balance_warning.not_found', warningForm),
    async listBalanceWarnings() {
      const id = await warning();
      return { query: { pageSize: '200' }, holds: holdsId(id) };
    },
    async listReminders() {
      const id = await reminder();
      return { query: { pageSize: '200' }, holds: holdsId(id) };
    },
    createMaintenance: () => ({ json: { assetId: asset, ...maintenanceForm() }, outside: 'asset.not_found' }),
    deleteMaintenance: step(maintenance, 'maintenance.not_found', () => why),
    editMaintenance: step(maintenance, 'maintenance.not_found', maintenanceForm),
    getMaintenance: step(maintenance, 'maintenance.not_found'),
    async listMaintenance() {
      const id = await maintenance();
      return { query: { pageSize: '200' }, holds: holdsId(id) };
    },
  };
}
