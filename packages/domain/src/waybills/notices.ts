import type { Gap } from '../readings/gaps.ts';

/** What the contact of the consignee is told by e-mail. */
export const NOTICE_KINDS = ['delay', 'excursion'] as const;
export type NoticeKind = (typeof NOTICE_KINDS)[number];

const MINUTE_MS = 60_000;
/** A delivery that is later than planned by this time is a delay. */
export const DELAY_AFTER_MS = 15 * MINUTE_MS;
/** Time outside the limits after which the consignee is told; an open door is not worth an e-mail. */
export const EXCURSION_AFTER_MS = 10 * MINUTE_MS;
/** Excursions that are not further apart are one. */
export const SAME_EPISODE_MS = 30 * MINUTE_MS;

/** Excursions of all probes that are near each other. */
export interface Episode extends Gap {
  /** Time in which any probe was outside, ms. */
  outsideMs: number;
}

/** Combines the excursions of the probes, each in order of time. */
export function episodesOf(probes: readonly (readonly Gap[])[]): Episode[] {
  const episodes: Episode[] = [];
  for (const { from, to } of probes.flat().sort((a, b) => a.from - b.from)) {
    const last = episodes.at(-1);
    if (last && from - last.to <= SAME_EPISODE_MS) {
      last.outsideMs += Math.max(0, to - Math.max(from, last.to));
      last.to = Math.max(last.to, to);
    } else episodes.push({ from, to, outsideMs: to - from });
  }
  return episodes;
}

/** A notice that was sent, or is due. `about` is the planned delivery, or the beginning of the excursion, epoch ms. */
export interface Notice {
  kind: NoticeKind;
  about: number;
}

/** A shipment as it is now; times in epoch ms. */
export interface NoticedTrip {
  hasEnded: boolean;
  plannedDeliveryAt: number | null;
  /** Estimated arrival; null: not known. */
  expectedAt: number | null;
  episodes: readonly Episode[];
}

export type DueNotice =
  | { kind: 'delay'; about: number; expectedAt: number | null }
  | { kind: 'excursion'; about: number; episode: Episode };

/**
 * Returns what the consignee has not been told yet: a delay once for each planned delivery, an excursion once. Late readings may
 * move the beginning of an excursion that was told, and join it with others.
 */
export function noticesDue(trip: NoticedTrip, told: readonly Notice[], now: number): DueNotice[] {
  const due: DueNotice[] = [];
  const { plannedDeliveryAt, expectedAt } = trip;
  const hasTold = (kind: NoticeKind, from: number, to: number) =>
    told.some((each) => each.kind === kind && each.about >= from && each.about <= to);
  if (
    plannedDeliveryAt !== null &&
    !trip.hasEnded &&
    Math.max(expectedAt ?? 0, now) > plannedDeliveryAt + DELAY_AFTER_MS &&
    !hasTold('delay', plannedDeliveryAt, plannedDeliveryAt)
  )
    due.push({
      kind: 'delay',
      about: plannedDeliveryAt,
      // An estimate that has passed says nothing.
      expectedAt: expectedAt !== null && expectedAt > now ? expectedAt : null,
    });
  for (const episode of trip.episodes) {
    const { from, to, outsideMs } = episode;
    if (
      outsideMs >= EXCURSION_AFTER_MS &&
      !hasTold('excursion', from - SAME_EPISODE_MS, to + SAME_EPISODE_MS)
    )
      due.push({ kind: 'excursion', about: from, episode });
  }
  return due;
}
