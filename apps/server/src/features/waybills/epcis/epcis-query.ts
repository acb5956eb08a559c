import type { Download } from '@isotherm/contracts/route';
import { queryEpcisEvents } from '@isotherm/contracts/waybill-epcis';
import {
  EPCIS_STEPS,
  type EpcisStep,
  SENSOR_STEP,
  sensorEvent,
  stepEvent,
} from '@isotherm/domain/waybills/epcis';
import { inUnit, vocabularyWord } from '@isotherm/domain/waybills/epcis-capture';
import type pg from 'pg';
import type { z } from 'zod';
import type { Clock } from '../../../platform/clock.ts';
import { API_PREFIX, type Mount } from '../../../platform/http/mount.ts';
import { onePiece } from '../../../platform/http/one-piece.ts';
import { lastMomentOf } from '../waybills/trip-record.ts';
import { ownContext } from './epcis-capture.ts';
import {
  type EventSlot,
  listEventSlots,
  readCaptured,
  readLegs,
  readSteps,
  SLOT_KINDS,
  type SlotFilter,
  type SlotKey,
  type SlotKind,
} from './event-slots.repo.ts';
import { measuredLeg, waybillUri } from './leg-events.ts';
import { EPCIS_CONTEXT, NO_ORIGIN } from './waybill-epcis.ts';

type Query = z.output<(typeof queryEpcisEvents)['query']>;

const MEDIA_TYPE = 'application/ld+json';
const OBJECT_EVENT = 'ObjectEvent';
const SENSOR_WORDS = { bizStep: SENSOR_STEP, disposition: 'in_transit' };

/** Mounts the query of events of waybills (GS1 EPCIS 2.0, REST bindings). */
export function mountEpcisQuery(
  mount: Mount,
  { pool, clock, consoleUrl }: { pool: pg.Pool; clock: Clock; consoleUrl: string | null },
): void {
  const origin = consoleUrl ?? NO_ORIGIN;

  mount(queryEpcisEvents, async ({ caller, query }): Promise<Download> => {
    const found = await listEventSlots(
      pool,
      caller.scope,
      filterOf(query),
      query.nextPageToken === undefined ? null : keyOf(query.nextPageToken),
      query.perPage + 1,
    );
    const page = found.slice(0, query.perPage);
    const last = found.length > page.length ? page.at(-1) : undefined;
    const document = {
      '@context': [EPCIS_CONTEXT],
      type: 'EPCISQueryDocument',
      schemaVersion: '2.0',
      creationDate: new Date(clock.now()).toISOString(),
      epcisBody: {
        queryResults: {
          queryName: 'SimpleEventQuery',
          resultsBody: { eventList: await eventsOf(page, query.uom) },
        },
      },
    };
    return {
      fileName: 'events.jsonld',
      mediaType: MEDIA_TYPE,
      body: onePiece(Buffer.from(JSON.stringify(document))),
      headers: {
        'gs1-epcis-version': '2.0',
        ...(last ? { link: `<${nextAddress(query, last)}>; rel="next"` } : {}),
      },
    };
  });

  async function eventsOf(slots: readonly EventSlot[], unit: Query['uom']): Promise<object[]> {
    const [steps, captured, legs] = await Promise.all([
      readSteps(pool, slots),
      readCaptured(pool, slots),
      readLegs(pool, slots),
    ]);
    const events: object[] = [];
    for (const { kind, ref, waybillId } of slots) {
      const uri = waybillUri(origin, waybillId);
      const step = kind === SLOT_KINDS.step && steps.get(ref);
      if (step)
        events.push({
          ...stepEvent({ uri }, { id: step.id, action: step.action, at: step.at.getTime() }),
          recordTime: step.recordedAt.toISOString(),
        });
      const sent = kind === SLOT_KINDS.captured && captured.get(ref);
      if (sent) {
        // An event means what its document said, and what it says itself.
        const context = [...(sent.context ?? []), ...ownContext(sent.event['@context'])];
        events.push({
          ...inUnit(sent.event, unit),
          ...(context.length > 0 ? { '@context': context } : {}),
          eventID: sent.eventId,
          recordTime: sent.capturedAt.toISOString(),
        });
      }
      const leg = kind === SLOT_KINDS.leg && legs.get(ref);
      if (leg) {
        const { position, assetId, low, high, departedAt, until } = leg;
        const to = lastMomentOf({ departedAt, endedAt: until }, clock.now());
        const span = { position, assetId, from: leg.from.getTime(), to, until: until.getTime() };
        const measured = await measuredLeg(pool, origin, waybillId, span);
        const event = sensorEvent({ uri, low, high }, measured, unit);
        if (event) events.push(event);
      }
    }
    return events;
  }
}

const hasWord = (wanted: readonly string[] | undefined, word: string): boolean =>
  wanted === undefined || wanted.map(vocabularyWord).includes(word);

function filterOf({ eventType, EQ_bizStep, EQ_disposition, GE_eventTime, LT_eventTime }: Query): SlotFilter {
  const isWanted = ({ bizStep, disposition }: { bizStep: string; disposition: string }) =>
    hasWord(eventType, OBJECT_EVENT) && hasWord(EQ_bizStep, bizStep) && hasWord(EQ_disposition, disposition);
  return {
    from: GE_eventTime === undefined ? null : new Date(GE_eventTime),
    until: LT_eventTime === undefined ? null : new Date(LT_eventTime),
    actions: (Object.keys(EPCIS_STEPS) as EpcisStep['action'][]).filter((action) =>
      isWanted(EPCIS_STEPS[action]),
    ),
    hasLegs: isWanted(SENSOR_WORDS),
    types: eventType ?? null,
    bizSteps: EQ_bizStep?.map(vocabularyWord) ?? null,
    dispositions: EQ_disposition?.map(vocabularyWord) ?? null,
  };
}

/** The token is the place of the last event: events that are captured meanwhile shift no page. */
const tokenOf = ({ micros, kind, ref }: SlotKey): string => [micros, kind, ref].join('.');

function keyOf(token: string): SlotKey {
  const [micros = '', kind = '', ref = ''] = token.split('.');
  return { micros, kind: Number(kind) as SlotKind, ref };
}

function nextAddress(query: Query, last: SlotKey): string {
  const listed = (values: readonly string[] | undefined) => values?.join('|');
  const parameters = {
    eventType: listed(query.eventType),
    GE_eventTime: query.GE_eventTime,
    LT_eventTime: query.LT_eventTime,
    EQ_bizStep: listed(query.EQ_bizStep),
    EQ_disposition: listed(query.EQ_disposition),
    uom: query.uom,
    perPage: String(query.perPage),
    nextPageToken: tokenOf(last),
  };
  const known = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as [string, string]],
  );
  return `${API_PREFIX}${queryEpcisEvents.path}?${new URLSearchParams(known)}`;
}
