import { createHash } from 'node:crypto';
import { AppError } from '@isotherm/contracts/errors';
import type { ResponseOf } from '@isotherm/contracts/route';
import { type CapturedEpcisEvent, captureEpcis } from '@isotherm/contracts/waybill-epcis';
import { stepOfEvent, waybillKeyOf } from '@isotherm/domain/waybills/epcis-capture';
import type pg from 'pg';
import type { Audit } from '../../../platform/audit/audit.ts';
import type { Clock } from '../../../platform/clock.ts';
import { type Tx, transaction } from '../../../platform/db/pool.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import type { Mount } from '../../../platform/http/mount.ts';
import { takeStep } from '../waybills/take-step.ts';
import type { TripDevices } from '../waybills/trip-devices.ts';
import { waybillFields, waybillObject } from '../waybills/waybill-views.ts';
import { findWaybill, lockWaybill } from '../waybills/waybills.repo.ts';
import { STEP_FAULTS } from '../waybills/waybills.service.ts';
import { findDigests, findNamedWaybills, insertEvent } from './epcis-events.repo.ts';

interface Sent {
  /** Place in the document, from 1, which errors name. */
  place: number;
  event: CapturedEpcisEvent;
  eventId: string;
  digest: string;
}

type Captured = ResponseOf<typeof captureEpcis>;

/** Mounts the capture of events of other systems (GS1 EPCIS 2.0). */
export function mountEpcisCapture(
  mount: Mount,
  parts: {
    pool: pg.Pool;
    audit: Pick<Audit, 'record'>;
    clock: Clock;
    devices: TripDevices;
    consoleUrl: string | null;
  },
): void {
  const { pool, audit, clock, devices, consoleUrl } = parts;

  /** The events of each waybill that the document names, in order of time. */
  async function sorted(
    tx: Tx,
    caller: Caller,
    events: readonly CapturedEpcisEvent[],
  ): Promise<Map<number, Sent[]>> {
    const named = events.map((event) => waybillKeyOf(event, consoleUrl));
    const found = await findNamedWaybills(
      tx,
      caller.scope,
      named.map((key) => key ?? { number: '' }),
    );
    const sent = new Map<number, Sent[]>();
    for (const [index, event] of events.entries()) {
      const key = named[index];
      const place = index + 1;
      if (!key) throw new AppError('epcis.no_waybill', { event: place });
      const name = 'id' in key ? String(key.id) : key.number;
      const [id, ...others] = found.get(index) ?? [];
      if (id === undefined) throw new AppError('epcis.unknown_waybill', { event: place, waybill: name });
      if (others.length > 0) throw new AppError('epcis.ambiguous', { event: place, waybill: name });
      const digest = createHash('sha256').update(canonical(event)).digest('hex');
      const eventId = event.eventID ?? `ni:///sha-256;${digest}`;
      sent.set(id, [...(sent.get(id) ?? []), { place, event, eventId, digest }]);
    }
    for (const own of sent.values())
      own.sort((a, b) => Date.parse(a.event.eventTime) - Date.parse(b.event.eventTime));
    return sent;
  }

  async function store(
    tx: Tx,
    caller: Caller,
    id: number,
    sent: readonly Sent[],
    context: readonly unknown[],
    afters: (() => void)[],
  ): Promise<Captured> {
    await lockWaybill(tx, id);
    const before = await findWaybill(tx, caller.scope, id);
    if (!before) throw new AppError('waybill.not_found');
    const known = await findDigests(
      tx,
      id,
      sent.map(({ eventId }) => eventId),
    );
    const result = { stored: 0, known: 0, steps: 0 };
    let row = before;
    for (const { place, event, eventId, digest } of sent) {
      const earlier = known.get(eventId);
      if (earlier !== undefined && earlier !== digest) throw new AppError('epcis.changed', { event: place });
      if (earlier !== undefined) {
        result.known++;
        continue;
      }
      known.set(eventId, digest);
      const now = clock.now();
      const at = Date.parse(event.eventTime);
      const action = stepOfEvent(event, row.state);
      if (action) {
        const step = action === 'depart' ? { action, at, assetId: row.assetId } : { action, at };
        const note = event.readPoint?.id ?? '';
        const done = await takeStep(tx, { devices, now }, caller, row, step, { note, means: null });
        if ('fault' in done) throw new AppError(STEP_FAULTS[done.fault]);
        afters.push(done.afterCommit);
        result.steps++;
        row = (await findWaybill(tx, caller.scope, id)) ?? row;
      } else if (at > now) throw new AppError('waybill.future');
      result.stored++;
      await insertEvent(tx, id, {
        eventId,
        digest,
        at: new Date(at),
        event,
        context,
        isStep: action !== null,
        username: caller.username,
        capturedAt: new Date(now),
      });
    }
    if (result.stored > 0)
      await audit.record(tx, caller, {
        action: 'change',
        ...waybillObject(row),
        organizationPath: row.organizationPath,
        before: { ...waybillFields(before), events: 0 },
        after: { ...waybillFields(row), events: result.stored },
      });
    return result;
  }

  mount(captureEpcis, async ({ caller, body: { epcisBody, '@context': sentContext } }) => {
    const context = ownContext(sentContext);
    const afters: (() => void)[] = [];
    const result = await transaction(pool, async (tx) => {
      const total: Captured = { stored: 0, known: 0, steps: 0 };
      const sent = await sorted(tx, caller, epcisBody.eventList);
      // In one order, so that two documents about the same waybills cannot deadlock.
      for (const id of [...sent.keys()].sort((a, b) => a - b)) {
        const one = await store(tx, caller, id, sent.get(id) ?? [], context, afters);
        total.stored += one.stored;
        total.known += one.known;
        total.steps += one.steps;
      }
      return total;
    });
    for (const after of afters) after();
    return result;
  });
}

const EPCIS_CONTEXTS = /^https:\/\/(ref\.gs1\.org\/standards\/epcis|gs1\.github\.io\/EPCIS)\//;

/**
 * What the context of a document or an event adds to that of EPCIS: the prefixes of its extensions. Without null, which would take
 * away the terms of EPCIS.
 */
export const ownContext = (context: unknown): unknown[] =>
  (Array.isArray(context) ? context : [context]).filter(
    (each) => each !== undefined && each !== null && (typeof each !== 'string' || !EPCIS_CONTEXTS.test(each)),
  );

/** JSON with sorted keys, so that the same content has the same digest. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
