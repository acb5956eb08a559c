import { createHash } from 'node:crypto';
import { type ReportVerification, verifyReport } from '@isotherm/contracts/report-register';
import { fireEvent, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { fakeServer, Refusal } from '../../shared/testing/fake-server.ts';
import { renderPage } from '../../shared/testing/render-page.tsx';
import { ReportCheck } from './report-check.tsx';

const TOKEN = 'abcdefghijklmnopqrstuv';
const CONTENT = '%PDF-1.3 the report';
const SHA256 = createHash('sha256').update(CONTENT).digest('hex');
const REPORT: ReportVerification = {
  number: 'TR-2026-000318',
  kind: 'trip',
  issuer: 'Minhang District Centre',
  createdAt: '2026-11-20T02:12:00.000Z',
  isGenuine: null,
};

async function page() {
  const fake = fakeServer();
  fake.answer(verifyReport, ({ json }) => {
    const { sha256 } = json as { sha256?: string };
    return { ...REPORT, isGenuine: sha256 === undefined ? null : sha256 === SHA256 };
  });
  await renderPage(<ReportCheck token={TOKEN} />);
  await screen.findByText('TR-2026-000318');
  return fake;
}
const choose = (content: string) =>
  userEvent.upload(screen.getByLabelText('Choose file', { selector: 'input' }), [
    new File([content], 'report.pdf', { type: 'application/pdf' }),
  ]);

it('the page says which report a code belongs to, and that its file is genuine', async () => {
  const fake = await page();
  expect(screen.getByText('Minhang District Centre')).toBeTruthy();
  expect(screen.getByText('Trip report')).toBeTruthy();
  await choose(CONTENT);
  expect(await screen.findByText('This file is genuine.')).toBeTruthy();
  // Only the hash is sent.
  expect(fake.called(verifyReport).map(({ asked }) => asked.json)).toEqual([
    { token: TOKEN },
    { token: TOKEN, sha256: SHA256 },
  ]);
});

it('a changed file is not the report, and an empty one is not checked', async () => {
  const fake = await page();
  await choose(`${CONTENT}.`);
  expect(await screen.findByText('This file is not report TR-2026-000318.')).toBeTruthy();
  await choose('');
  expect(await screen.findByText('This file is empty. Choose the PDF file of the report.')).toBeTruthy();
  expect(fake.called(verifyReport)).toHaveLength(2);
});

it('a file can be dropped', async () => {
  await page();
  const file = new File([CONTENT], 'report.pdf');
  fireEvent.drop(screen.getByText('Choose the PDF file of this report, or drop it here.'), {
    dataTransfer: { files: [file] },
  });
  expect(await screen.findByText('This file is genuine.')).toBeTruthy();
});

it('a wrong code is reported', async () => {
  fakeServer().answer(verifyReport, () => new Refusal('link.not_found', 'This link is not valid.', 404));
  await renderPage(<ReportCheck token={TOKEN} />);
  expect(await screen.findByText('This link is not valid.')).toBeTruthy();
});
