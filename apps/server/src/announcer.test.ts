import { createTranslator } from '@isotherm/i18n/translator';
import { expect, test } from 'vitest';
import { createAnnouncer } from './announcer.ts';
import type { AlarmsService } from './features/alarms/index.ts';
import type { AssetsService } from './features/assets/index.ts';
import { createLog } from './platform/log.ts';
import type { Bus, BusNews } from './platform/realtime/bus.ts';
import type { Connection, Hub } from './platform/realtime/hub.ts';

test('an event of an alarm that cannot be read, since the database is away, is told when it is back', async () => {
  const sent: unknown[] = [];
  let tell = (_news: BusNews): void => undefined;
  let isAway = true;
  const asked: number[][] = [];
  const connection = {
    scope: '/1/',
    permissions: new Set(['alarm-current:view']),
    watched: new Set(),
    language: 'en',
    send: (message: object) => sent.push(message),
  };
  const announcer = createAnnouncer(
    {
      subscribe: (listener: typeof tell) => {
        tell = listener;
      },
    } as Bus,
    { connections: () => [connection] as unknown as Connection[] } as unknown as Hub,
    {
      async byId(ids: number[]) {
        asked.push(ids);
        if (isAway) throw new Error('Connection terminated');
        return ids.map((id) => ({ id, organizationPath: '/1/' }));
      },
    } as unknown as AlarmsService,
    {} as AssetsService,
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
    .toEqual([
      { event: 'alarm.changed', alarm: { id: 7 } },
      { event: 'alarm.changed', alarm: { id: 8 } },
    ]);
  announcer.stop();
});
