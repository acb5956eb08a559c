import type { ServerMessage } from '@isotherm/contracts/realtime';
import { createTranslator } from '@isotherm/i18n/translator';
import { expect, test } from 'vitest';
import { createAnnouncer } from './announcer.ts';
import type { AlarmView } from './features/alarms/index.ts';
import { createLog } from './platform/log.ts';
import type { BusNews } from './platform/realtime/bus.ts';

const alarmView = (id: number): AlarmView => ({
  id,
  level: 3,
  peakLevel: 3,
  kind: 'high',
  subject: 'channel',
  state: 'active',
  indicator: 'temperature',
  assetId: 8,
  assetName: 'Fridge',
  assetKind: 'refrigerator',
  place: '',
  organizationName: 'Hospital',
  organizationPath: '/1/',
  channelId: 80,
  channelName: 'Air',
  deviceNumber: '31020103',
  since: '2026-11-20T01:30:00.000Z',
  raisedAt: '2026-11-20T01:31:00.000Z',
  endedAt: null,
  endReason: null,
  limitValue: 8,
  recoveryMargin: 0.5,
  defrostDelayMs: null,
  triggerAfterMs: 60_000,
  value: 8.7,
  peakValue: 8.7,
  peakAt: '2026-11-20T01:31:00.000Z',
  late: false,
  acknowledgement: null,
  suppression: null,
  mustSign: false,
  required: [],
  fixed: null,
  assignee: null,
});

test('an alarm event that could not be read during a database outage is delivered afterwards', async () => {
  const sent: ServerMessage[] = [];
  let tell = (_news: BusNews): void => undefined;
  let isAway = true;
  const asked: number[][] = [];
  const announcer = createAnnouncer(
    {
      subscribe: (listener) => {
        tell = listener;
      },
    },
    {
      connections: () => [
        {
          username: 'lin.yue',
          scope: '/1/',
          permissions: new Set(['alarm-current:view']),
          watched: new Set<number>(),
          language: 'en',
          send: (message) => sent.push(message),
          sendTexts: (texts) => sent.push(...texts.map((text) => JSON.parse(text))),
        },
      ],
    },
    {
      async byId(ids) {
        asked.push([...ids]);
        if (isAway) throw new Error('Connection terminated');
        return ids.map(alarmView);
      },
    },
    { cardsOf: async () => [] },
    createTranslator(),
    createLog('silent', false),
  );
  tell({ alarms: [{ id: 7, topic: 'alarm.changed' }], assetIds: [] });
  tell({ alarms: [{ id: 8, topic: 'alarm.changed' }], assetIds: [] });
  await expect.poll(() => asked.length).toBeGreaterThan(1);
  expect(sent).toEqual([]);
  isAway = false;
  await expect
    .poll(() => sent)
    .toMatchObject([
      { event: 'alarm.changed', alarm: { id: 7 } },
      { event: 'alarm.changed', alarm: { id: 8 } },
    ]);
  announcer.stop();
});
