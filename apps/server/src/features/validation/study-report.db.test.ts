import type { ValidationStudy } from '@isotherm/contracts/validation-studies';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { measuredFridge } from '../../testing/measured-fridge.ts';
import { expectDone } from '../../testing/people.ts';
import { readPdf } from '../../testing/read-pdf.ts';
import { type Session, startTestServer, type TestServer } from '../../testing/test-server.ts';

const NUMBER = '60000093';
const FROM = Date.parse('2026-01-10T00:00:00Z');
const TO = FROM + 3_600_000;
let server: TestServer;
let session: Session;
let assetId: number;
let channels: number[];
let sensorIds: number[];

beforeAll(async () => {
  server = await startTestServer();
  session = await server.logIn('demo.manager');
  ({ assetId, channels, sensorIds } = await measuredFridge(server, session, NUMBER, FROM, [
    (minute) => (minute === 30 ? 9.5 : 5),
    (minute) => (minute === 10 ? -0.5 : 4),
  ]));
  await server.pool.query(`update channel set name = '底层搁架' where id = $1`, [channels[1]]);
});
afterAll(() => server.stop());

async function plan(name: string): Promise<ValidationStudy> {
  const answer = await server.call<ValidationStudy>({
    method: 'POST',
    path: '/api/validation',
    session,
    json: {
      assetId,
      name,
      type: 'full',
      zoneMin: 2,
      zoneMax: 8,
      channels,
      from: new Date(FROM).toISOString(),
      to: new Date(TO).toISOString(),
    },
  });
  return expectDone(answer);
}

const judge = (id: number) =>
  server.call<ValidationStudy>({ method: 'POST', path: `/api/validation/${id}/judge`, session });
const report = (id: number, language: string, zone = 'UTC') =>
  server.call<{ fileName: string; content: string }>({
    path: `/api/validation/${id}/report`,
    query: { zone },
    session,
    headers: { 'x-language': language },
  });

describe('report of a study', () => {
  test('the report of a study does not exist before the study was evaluated', async () => {
    const { id } = await plan('Not judged');
    expect((await report(id, 'en')).status).toBe('validation.not_judged');
  });

  test('the report of a study contains the measurements in English, and names sensors whose calibration expired', async () => {
    await server.call({
      method: 'POST',
      path: '/api/device/calibration',
      session,
      json: {
        sensorId: sensorIds[0],
        certificate: 'C-2025-17',
        laboratory: 'Metrology Institute',
        calibratedOn: '2025-01-05',
        dueOn: '2026-01-05',
        appliedFrom: null,
        points: [],
      },
    });
    const { id } = await plan('Full load');
    const judged = expectDone(await judge(id));
    // The certificate of the first sensor expired before the study, and the second sensor never had one.
    expect(judged.uncalibrated).toEqual(channels);
    const { fileName, content } = expectDone(await report(id, 'en'));
    expect(fileName).toBe(`validation-${id}.pdf`);
    const { pages, title, language } = await readPdf(content);
    expect(title).toContain('Full load');
    expect(language).toBe('en');
    const text = pages.join('\n');
    for (const part of [
      'Overseas Cloud',
      'Validation report',
      'Verdict: Failed',
      '2.0–8.0 °C',
      '2026-01-10 00:00:00+00:00',
      '−0.5',
      '9.5',
      'Hot spot',
      'Cold spot',
      '底层搁架',
      '1 min',
      '100 %',
      `${NUMBER}-2`,
      'C-2025-17',
      'Metrology Institute',
      '2026-01-05',
      'demo.manager',
      'Page 1 of 1',
      'ended on 2026-01-05, before the end of the study',
      'No calibration certificate of 底层搁架 covers',
    ])
      expect(text).toContain(part);
    const { rows } = await server.pool.query(
      `select username, after->>'format' as format from audit_entry
        where action = 'export' and object_kind = 'validation-study' and object_id = $1`,
      [String(id)],
    );
    expect(rows).toEqual([{ username: 'demo.manager', format: 'pdf' }]);
  });

  test('the report of a study uses the language and the time zone of the caller', async () => {
    const { id } = await plan('满载验证');
    expectDone(await judge(id));
    const { content } = expectDone(await report(id, 'zh-CN', 'Asia/Shanghai'));
    const text = (await readPdf(content)).pages.join('\n');
    for (const part of [
      '验证报告',
      '满载验证',
      '结论: 不合格',
      '2026-01-10 08:00:00+08:00',
      '热点',
      '没有 底层搁架',
    ])
      expect(text).toContain(part);
  });
});
