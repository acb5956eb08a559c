import { csvFile, csvRow } from '@isotherm/contracts/csv';
import { AppError } from '@isotherm/contracts/errors';
import type { Download } from '@isotherm/contracts/route';
import { type exportReadings, MAX_EXPORT_RANGE_MS } from '@isotherm/contracts/telemetry';
import { INDICATORS } from '@isotherm/domain/readings/indicator';
import { NO_READINGS, type Series } from '@isotherm/domain/readings/series';
import type { Language } from '@isotherm/i18n/languages';
import { inWords } from '@isotherm/i18n/system-names';
import type { Translate } from '@isotherm/i18n/translator';
import type pg from 'pg';
import type { z } from 'zod';
import type { Audit } from '../../platform/audit/audit.ts';
import { createGate, type Gate } from '../../platform/gate.ts';
import { type Caller, ownerOf } from '../../platform/http/caller.ts';
import { untilRead } from '../../platform/http/until-read.ts';
import { changesOffset, clockIn, offsetIn } from '../../platform/local-time.ts';
import {
  type StreamCell,
  type StreamSheet,
  streamWorkbook,
  XLSX,
} from '../../platform/sheets/workbook-stream.ts';
import { calibratedOf, correctAll } from './calibrated.ts';
import { type ExportChannelRow, findExportChannels } from './curve.repo.ts';
import { listWrongClocks } from './device-clocks.repo.ts';
import { listDeviceTimes } from './estimated-readings.repo.ts';
import { loadSeries } from './history.ts';
import { rangeOf } from './telemetry.service.ts';

type ExportBody = z.output<(typeof exportReadings)['body']>;

/** Time span of one channel that is read at a time: about a month. */
const STRETCH_MS = 32 * 86_400_000;
/** Number of rows that are written before yielding to the event loop. */
const PORTION = 4_000;
/** Limits of exports in progress: each holds a month of a channel in memory. */
const OPEN = { atOnce: 12, waiting: 0, ofOne: { atOnce: 3, waiting: 0 } };
/**
 * Limits of portions in progress: each uses a database connection and half a core. An export whose client
 * reads slowly does not count here.
 */
const MAKING = { atOnce: 3, waiting: OPEN.atOnce, ofOne: { atOnce: 2, waiting: OPEN.atOnce } };

const NO_DEVICE_TIMES: ReadonlyMap<number, number> = new Map();

const MEDIA_TYPES = {
  csv: 'text/csv; charset=utf-8',
  xlsx: XLSX,
} as const;

export interface ExportService {
  /** Streams the readings to the caller. */
  readings(caller: Caller, body: ExportBody): Promise<Download>;
  /** Throws `curve.range`, and `channel.not_found` if any channel is outside the caller's scope. */
  check(caller: Caller, body: ExportBody): Promise<readonly ExportChannelRow[]>;
  /** Returns the file of a job, which reports its progress, 0 to 1. */
  content(caller: Caller, body: ExportBody, progress: (part: number) => void): Promise<Download>;
  /**
   * Yields all readings of channels in a range as CSV, for an archive. `seen` is called with each portion before it is
   * written.
   */
  archive(
    asked: { channels: readonly ExportChannelRow[]; from: number; to: number; zone: string },
    language: Language,
    seen: Seen,
  ): Promise<AsyncIterable<Uint8Array>>;
}

/** Takes the readings of a channel that are about to be written; epoch ms. */
export type Seen = (channelId: number, at: Float64Array, value: Float64Array) => void;

export function createExportService(
  pool: pg.Pool,
  audit: Pick<Audit, 'recordAlone'>,
  translate: Translate,
): ExportService {
  const gate = createGate(OPEN, () => new AppError('export.busy'));
  const making = createGate(MAKING, () => new AppError('export.busy'));

  /** Yields portions of a channel's readings, in order of time. */
  async function* portionsOf(
    channelId: number,
    { from, to, estimated, corrected, began, seen }: Asked,
  ): AsyncGenerator<Portion> {
    const isEstimated = estimated.has(channelId);
    for (let begin = from; begin < to; begin += STRETCH_MS) {
      began();
      const end = Math.min(begin + STRETCH_MS, to);
      const said = await loadSeries(pool, [channelId], begin, end, 'said');
      const raw = said.get(channelId) ?? NO_READINGS;
      const { at, value } = corrected.has(channelId)
        ? ((await correctAll(pool, new Map(said))).get(channelId) ?? raw)
        : raw;
      const deviceTimes = isEstimated ? await listDeviceTimes(pool, channelId, begin, end) : NO_DEVICE_TIMES;
      seen?.(channelId, at, value);
      for (let i = 0; i < at.length; i += PORTION)
        yield {
          at: at.subarray(i, i + PORTION),
          value: value.subarray(i, i + PORTION),
          said: raw.value.subarray(i, i + PORTION),
          deviceTimes,
        };
    }
  }

  async function* csvOf(asked: Asked, language: Language): AsyncGenerator<Uint8Array> {
    const offsetAt = offsetIn(asked.zone);
    const known = ['time', 'value', 'unit', 'indicator', 'channel', 'device', 'code', 'asset'] as const;
    // The column with the sensor's value exists only if a channel was corrected, and the column with the
    // device's time only if that time was wrong.
    const isCorrected = asked.corrected.size > 0;
    const isEstimated = asked.estimated.size > 0;
    const head = [
      ...known,
      ...(isCorrected ? ['said' as const] : []),
      ...(isEstimated ? ['device-time' as const] : []),
    ];
    yield Buffer.from(csvFile([head.map((column) => translate(language, `curve.export.${column}`))]));
    for (const channel of asked.channels) {
      const { indicator, name, device, code, asset } = channel;
      const word = translate(language, `common.indicator.${indicator}`);
      const cells = [INDICATORS[indicator].unit, word, inWords(name, language), device, code, asset];
      const isOwnCorrected = asked.corrected.has(channel.id);
      const rest = csvRow([...cells, ...(isCorrected ? [''] : []), ...(isEstimated ? [''] : [])]);
      const textOf = (moment: number) => {
        const offset = offsetAt(moment);
        const local = new Date(moment + offset.ms).toISOString();
        return `${local.slice(0, moment % 1000 === 0 ? 19 : 23)}${offset.text}`;
      };
      for await (const { at, value, said, deviceTimes } of portionsOf(channel.id, asked)) {
        let text = '';
        for (let i = 0; i < at.length; i++) {
          const moment = at[i] as number;
          const deviceTime = deviceTimes.get(moment);
          const end =
            deviceTime === undefined && !isOwnCorrected
              ? rest
              : csvRow([
                  ...cells,
                  ...(isCorrected ? [isOwnCorrected ? (said[i] as number) : ''] : []),
                  ...(isEstimated ? [deviceTime === undefined ? '' : textOf(deviceTime)] : []),
                ]);
          text += `${textOf(moment)},${value[i]},${end}`;
        }
        yield Buffer.from(text);
      }
    }
  }

  async function* sheetsOf(asked: Asked, language: Language): AsyncGenerator<StreamSheet> {
    // Cells of times have no offset.
    const hasOffset = changesOffset(asked.zone, asked.from, asked.to);
    for (const channel of asked.channels) {
      const { unit } = INDICATORS[channel.indicator];
      yield {
        name: `${channel.device} ${inWords(channel.name, language)}`,
        head: [
          `${translate(language, 'curve.export.time')} (${asked.zone})`,
          ...(hasOffset ? [translate(language, 'curve.export.utc-offset')] : []),
          `${translate(language, `common.indicator.${channel.indicator}`)}${unit && ` (${unit})`}`,
          `${channel.code} ${channel.asset}`,
          ...(asked.corrected.has(channel.id) ? [translate(language, 'curve.export.said')] : []),
          ...(asked.estimated.has(channel.id) ? [translate(language, 'curve.export.device-time')] : []),
        ],
        rows: rowsOf(asked, channel, hasOffset),
      };
    }
  }

  async function* rowsOf(
    asked: Asked,
    channel: ExportChannelRow,
    hasOffset: boolean,
  ): AsyncGenerator<StreamCell[][]> {
    const offsetAt = offsetIn(asked.zone);
    for await (const { at, value, said, deviceTimes } of portionsOf(channel.id, asked))
      yield Array.from(at, (moment, i): StreamCell[] => {
        const offset = offsetAt(moment);
        const cells = [
          { clock: moment + offset.ms },
          ...(hasOffset ? [offset.text] : []),
          value[i] as number,
        ];
        const deviceTime = deviceTimes.get(moment);
        const beside = asked.corrected.has(channel.id) ? [said[i] as number] : [];
        if (deviceTime !== undefined)
          return [...cells, '', ...beside, { clock: deviceTime + offsetAt(deviceTime).ms }];
        return beside.length > 0 ? [...cells, '', ...beside] : cells;
      });
  }

  async function askedOf(
    { channels, from, to, zone }: Pick<Asked, 'channels' | 'from' | 'to' | 'zone'>,
    began: () => void,
  ): Promise<Asked> {
    const ids = channels.map(({ id }) => id);
    const [wrong, corrected] = await Promise.all([
      listWrongClocks(pool, ids, new Date(from), new Date(to)),
      calibratedOf(pool, ids),
    ]);
    const estimated = new Set(wrong.map((row) => row.channel_id));
    return { channels, from, to, zone, estimated, corrected, began };
  }

  async function check(caller: Caller, body: ExportBody): Promise<readonly ExportChannelRow[]> {
    rangeOf(body, MAX_EXPORT_RANGE_MS);
    const ids = [...new Set(body.channels)];
    const channels = await findExportChannels(pool, caller.scope, ids);
    if (channels.length !== ids.length) throw new AppError('channel.not_found');
    return channels;
  }

  async function fileOf(
    { language }: Caller,
    body: ExportBody,
    channels: readonly ExportChannelRow[],
    progress: (part: number) => void,
  ): Promise<Download & { body: AsyncGenerator<Uint8Array> }> {
    const { from, to } = rangeOf(body, MAX_EXPORT_RANGE_MS);
    const stretches = channels.length * Math.ceil((to - from) / STRETCH_MS);
    let begun = 0;
    const asked = await askedOf({ channels, from, to, zone: body.zone }, () => progress(begun++ / stretches));
    const clock = clockIn(body.zone);
    const firstDay = clock(new Date(from)).slice(0, 10);
    // The end is exclusive: a range until midnight ends on the day before.
    const lastDay = clock(new Date(to - 1)).slice(0, 10);
    return {
      fileName: `readings-${firstDay}-${lastDay}.${body.format}`,
      mediaType: MEDIA_TYPES[body.format],
      body: body.format === 'csv' ? csvOf(asked, language) : streamWorkbook(sheetsOf(asked, language)),
    };
  }

  return {
    check,
    /**
     * Throws `curve.range`, `channel.not_found` if any channel is outside the caller's scope, and
     * `export.busy` if the caller or the process has too many exports in progress.
     */
    async readings(caller, body) {
      const channels = await check(caller, body);
      const owner = ownerOf(caller);
      const release = await gate.enter(owner);
      try {
        await record(
          caller,
          body,
          channels.map(({ id }) => id),
        );
        const file = await fileOf(caller, body, channels, () => undefined);
        return { ...file, body: untilRead(inTurns(file.body, making, owner), release) };
      } catch (error) {
        release();
        throw error;
      }
    },
    content: async (caller, body, progress) => fileOf(caller, body, await check(caller, body), progress),
    archive: async (asked, language, seen) =>
      csvOf({ ...(await askedOf(asked, () => undefined)), seen }, language),
  };

  async function record(caller: Caller, body: ExportBody, channels: readonly number[]): Promise<void> {
    await audit.recordAlone(caller, {
      action: 'export',
      objectKind: 'reading',
      objectId: '',
      objectName: '',
      after: { format: body.format, from: body.from, to: body.to, channels },
      organizationPath: caller.scope,
    });
  }
}

/** Creates each portion when it is its owner's turn in the queue. */
async function* inTurns(
  portions: AsyncGenerator<Uint8Array>,
  gate: Gate,
  owner: string,
): AsyncGenerator<Uint8Array> {
  try {
    for (;;) {
      const { done, value } = await gate.pass(() => portions.next(), owner);
      if (done) return;
      yield value;
    }
  } finally {
    await portions.return(undefined);
  }
}

interface Asked {
  channels: readonly ExportChannelRow[];
  from: number;
  to: number;
  zone: string;
  /** Channels with estimated times in the range. */
  estimated: ReadonlySet<number>;
  /** Channels with corrected readings. */
  corrected: ReadonlySet<number>;
  /** Called before each stretch of a channel. */
  began(): void;
  /** Takes the readings of each stretch. */
  seen?: Seen;
}

interface Portion extends Series {
  /** Uncorrected values as sent by the sensor. */
  said: Float64Array;
  deviceTimes: ReadonlyMap<number, number>;
}
