import type { ResponseOf } from '@isotherm/contracts/route';
import type { printTripReport, WaybillDetail } from '@isotherm/contracts/waybills';
import type { Translate } from '@isotherm/i18n/translator';
import type pg from 'pg';
import type { Clock } from '../../../platform/clock.ts';
import type { PdfDocument } from '../../../platform/documents/pdf.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import type { ReportRegister } from '../../../platform/reports/reports.ts';
import { loadTrackLines, type TrackLines } from '../../geo/index.ts';
import { readExcursions } from '../waybills/trip-excursions.ts';
import { readJudgedTrip } from '../waybills/trip-record.ts';
import type { WaybillRow } from '../waybills/waybills.repo.ts';
import { paperWords } from './paper-words.ts';
import { signatureOf } from './signature-boxes.ts';
import { tripPaper } from './trip-paper.ts';
import { waybillPaper } from './waybill-paper.ts';

type Printed = ResponseOf<typeof printTripReport>;
interface Asked {
  zone: string;
  host: string;
}

/** Waybills on paper, as registered PDF documents in the caller's language and a time zone. */
export interface Papers {
  /** Throws `waybill.not_found|not_departed`, `request.too_many`. */
  trip(caller: Caller, id: number, asked: Asked): Promise<Printed>;
  /** Throws `waybill.not_found`, `request.too_many`. */
  waybill(caller: Caller, id: number, asked: Asked): Promise<Printed>;
}

export function createPapers(parts: {
  pool: pg.Pool;
  reports: Pick<ReportRegister, 'write'>;
  clock: Clock;
  translate: Translate;
  /** Returns a waybill in the caller's scope, as a row and as people see it. */
  find(caller: Caller, id: number): Promise<{ row: WaybillRow; detail: WaybillDetail }>;
  /** Returns the product name of the installation for a host. */
  brandOf(host: string): Promise<string>;
  consoleUrl: string | null;
}): Papers {
  const { pool, reports, clock, translate, find, brandOf, consoleUrl } = parts;

  async function print(
    caller: Caller,
    id: number,
    kind: 'trip' | 'waybill',
    compose: (found: { row: WaybillRow; detail: WaybillDetail }, now: number) => Promise<PdfDocument>,
  ): Promise<Printed> {
    const bytes = await reports.write(caller, async () => {
      const found = await find(caller, id);
      const { row } = found;
      return {
        document: await compose(found, clock.now()),
        entry: {
          kind,
          organizationId: row.organizationId,
          object: {
            objectKind: 'waybill',
            objectId: id,
            objectName: row.number,
            organizationPath: row.organizationPath,
          },
        },
      };
    });
    return { fileName: `${kind}-${id}.pdf`, content: bytes.toString('base64') };
  }

  const nameOf = (caller: Caller) => caller.realname || caller.username;

  return {
    trip: (caller, id, { zone, host }) =>
      print(caller, id, 'trip', async ({ row, detail }, now) => {
        const trip = await readJudgedTrip(pool, row, now);
        const [excursions, brand] = await Promise.all([readExcursions(pool, trip, row), brandOf(host)]);
        const tracks: TrackLines[] = [];
        for (const leg of trip.record.legs)
          tracks.push(await loadTrackLines(pool, leg.assetId, new Date(leg.from), new Date(leg.to)));
        return tripPaper(
          {
            waybill: detail,
            trip,
            excursions,
            tracks,
            signatureOf: signatureOf(detail),
            brand,
            by: nameOf(caller),
            at: new Date(now),
          },
          paperWords(translate, caller.language, zone),
        );
      }),

    waybill: (caller, id, { zone, host }) =>
      print(caller, id, 'waybill', async ({ row, detail }, now) =>
        waybillPaper(
          {
            waybill: detail,
            trip: row.departedAt === null ? null : await readJudgedTrip(pool, row, now),
            signatureOf: signatureOf(detail),
            address: consoleUrl && `${consoleUrl}/waybill/trips/${id}`,
            brand: await brandOf(host),
            by: nameOf(caller),
            at: new Date(now),
          },
          paperWords(translate, caller.language, zone),
        ),
      ),
  };
}
