import type { Alarm } from '@isotherm/contracts/alarms';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { playAlarmSound, unlockSoundOnFirstTouch } from '../features/alarms/alarm-sound.ts';
import { clearedAt, useAlarmWindow } from '../features/alarms/alarm-window-store.ts';
import {
  fetchAlarmsSince,
  putAlarm,
  refreshAlarmLists,
  standingAlarmsQuery,
} from '../features/alarms/alarms.queries.ts';
import { createCatchUp } from '../features/alarms/catch-up.ts';
import { popupsQuery } from '../features/alarms/popups/popups.queries.ts';
import { usePopups } from '../features/alarms/popups/popups-store.ts';
import {
  announcementPopupsQuery,
  INBOX_KEY,
  UNREAD_KEY,
} from '../features/announcements/announcements.queries.ts';
import { assetQuery, monitorCardsQuery, putCards } from '../features/assets/assets.queries.ts';
import { serverNow } from '../shared/api/clock.ts';
import { onConnect, onServerMessage, startSocket } from '../shared/socket/socket.ts';

/** If several alarms change within this time, the lists are reloaded only once. */
const REFRESH_AFTER_MS = 400;

/** Forwards WebSocket events to the features that show them. */
export function useLive(): void {
  const queries = useQueryClient();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const affected = new Set<number>();
    const refreshSoon = (assetId: number) => {
      affected.add(assetId);
      timer ??= setTimeout(() => {
        timer = undefined;
        refreshAlarmLists(queries);
        void queries.invalidateQueries({ queryKey: monitorCardsQuery.queryKey });
        for (const id of affected) void queries.invalidateQueries({ queryKey: assetQuery(id).queryKey });
        affected.clear();
      }, REFRESH_AFTER_MS);
    };
    const arrive = (alarms: readonly Alarm[]) => {
      const { arrive: add, muted } = useAlarmWindow.getState();
      if (add(alarms) && !muted) playAlarmSound();
      for (const alarm of alarms) {
        putAlarm(queries, alarm);
        refreshSoon(alarm.assetId);
      }
    };

    const stopListening = onServerMessage((message) => {
      switch (message.event) {
        case '0003':
          arrive([message.alarm]);
          break;
        case 'alarm.changed':
          useAlarmWindow.getState().change(message.alarm);
          if (message.alarm.acknowledgement) usePopups.getState().settle(message.alarm.id);
          putAlarm(queries, message.alarm);
          refreshSoon(message.alarm.assetId);
          break;
        case 'cards':
          putCards(queries, message.cards);
          break;
        case 'popups':
          for (const queryKey of [
            popupsQuery.queryKey,
            announcementPopupsQuery.queryKey,
            INBOX_KEY,
            UNREAD_KEY,
          ])
            void queries.invalidateQueries({ queryKey });
          break;
        case '0002':
        case 'pulse':
          break;
      }
    });
    const openedAt = serverNow();
    const catchUp = createCatchUp(fetchAlarmsSince, arrive);
    const recall = createCatchUp(fetchAlarmsSince, useAlarmWindow.getState().recall);
    recall.from(clearedAt());
    let connectedBefore = false;
    const stopCatchingUp = onConnect((missedSince) => {
      // At the first connection, all data was loaded just before, so nothing is reloaded.
      if (connectedBefore) void queries.invalidateQueries();
      catchUp.from(connectedBefore ? missedSince : openedAt);
      connectedBefore = true;
    });
    queries
      .fetchQuery(standingAlarmsQuery)
      .then(({ items }) => useAlarmWindow.getState().stand(items))
      // Users without access to alarms have no alarm window. For users with access, the badge of the bell
      // retries.
      .catch(() => undefined);
    const stopUnlocking = unlockSoundOnFirstTouch();
    const stopSocket = startSocket();
    return () => {
      clearTimeout(timer);
      stopListening();
      stopCatchingUp();
      catchUp.stop();
      recall.stop();
      stopUnlocking();
      stopSocket();
    };
  }, [queries]);
}
