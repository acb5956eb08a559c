import { type LogEntry, listLogs } from '@isotherm/contracts/logs';
import { cleanup, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { fakeServer } from '../../../shared/testing/fake-server.ts';
import { holding, renderPage } from '../../../shared/testing/render-page.tsx';
import { AssetChanges } from './asset-changes.tsx';

const ENTRY: LogEntry = {
  seq: 12,
  at: '2026-11-20T01:30:00.000Z',
  action: 'change',
  actor: 'demo.admin',
  actorId: 1,
  address: '',
  sessionId: '',
  organizationName: 'Head office',
  objectKind: 'asset',
  objectId: '7',
  objectName: 'Truck 7',
  reason: 'New yard',
  changed: ['plate', 'place'],
};

it('the page lists every change of the asset if the user may read the audit log; otherwise nothing is requested', async () => {
  const fake = fakeServer();
  holding(fake, 'management-logs:view');
  fake.answer(listLogs, () => ({ items: [ENTRY], total: 1, objectKinds: ['asset'] }));
  await renderPage(<AssetChanges assetId={7} />);
  expect(await screen.findByText('Plate, Place')).toBeTruthy();
  expect(screen.getByText('New yard')).toBeTruthy();
  const asked = fake.called(listLogs)[0]?.asked.query;
  expect([asked?.get('objectKind'), asked?.get('objectId')]).toEqual(['asset', '7']);
  cleanup();

  const other = fakeServer();
  holding(other);
  const { container } = await renderPage(<AssetChanges assetId={7} />);
  expect(container.querySelector('.asset-changes')).toBeNull();
  expect(other.called(listLogs)).toEqual([]);
});
