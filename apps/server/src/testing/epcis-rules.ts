/**
 * Checks a document by the structural rules of EPCIS 2.0 (JSON binding). The JSON schema that GS1 publishes is not included, since its
 * licence does not say that it may be; these are the rules of the standard for what this server writes, in words of our own.
 */

type Json = Record<string, unknown>;

const EVENT_TYPES = ['ObjectEvent', 'AggregationEvent', 'TransactionEvent', 'AssociationEvent'];
const ACTIONS = ['OBSERVE', 'ADD', 'DELETE'];
/** Words of the Core Business Vocabulary that this server and the documents of its tests use. */
const BIZ_STEPS = ['departing', 'arriving', 'loading', 'receiving', 'transporting', 'sensor_reporting'];
const DISPOSITIONS = ['in_transit', 'in_progress', 'returned'];
const TRANSACTIONS = ['bol', 'desadv', 'inv', 'po'];
const MEASUREMENTS = ['Temperature', 'RelativeHumidity', 'Illuminance', 'Acceleration'];
const EXCEPTIONS = ['ALARM_CONDITION', 'ERROR_CONDITION'];
const NUMBERS = ['value', 'minValue', 'maxValue', 'meanValue', 'sDev', 'percRank', 'percValue'];
/** An attribute of these may be in the metadata of a sensor element or in its reports, not in both. */
const INLINE = ['time', 'deviceID', 'deviceMetadata', 'rawData', 'dataProcessingMethod', 'bizRules'];
const DOCUMENT = [
  '@context',
  'id',
  'type',
  'schemaVersion',
  'creationDate',
  'epcisBody',
  'sender',
  'receiver',
];
const EVENT = [
  '@context',
  'type',
  'eventID',
  'eventTime',
  'recordTime',
  'eventTimeZoneOffset',
  'action',
  'bizStep',
  'disposition',
  'epcList',
  'quantityList',
  'readPoint',
  'bizLocation',
  'bizTransactionList',
  'sensorElementList',
];
const CONTEXT = 'https://ref.gs1.org/standards/epcis/2.0.0/epcis-context.jsonld';

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isTime = (value: unknown): boolean =>
  typeof value === 'string' &&
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(value) &&
  !Number.isNaN(Date.parse(value));
const isUri = (value: unknown): boolean =>
  typeof value === 'string' && /^[a-z][a-z0-9+.-]*:\S+$/i.test(value);
const isWord = (value: unknown, words: readonly string[]): boolean =>
  typeof value === 'string' && (words.includes(value) || /^https?:\/\/\S+$/.test(value));
const isNumber = (value: unknown): boolean => typeof value === 'number' && Number.isFinite(value);
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** Returns what a document breaks, as `<place>: <rule>`; nothing if it follows the rules. */
export function epcisFaults(document: unknown): string[] {
  const faults: string[] = [];
  const expect = (holds: boolean, place: string, rule: string) => {
    if (!holds) faults.push(`${place}: ${rule}`);
  };
  /** Properties are those of the standard, or have the prefix of an extension. */
  const names = (value: Json, known: readonly string[], place: string) => {
    for (const name of Object.keys(value))
      expect(known.includes(name) || /^[\w-]+:[\w-]+$/.test(name), `${place}.${name}`, 'unknown property');
  };
  const optional = (
    value: Json,
    name: string,
    holds: (value: unknown) => boolean,
    place: string,
    rule: string,
  ) => expect(value[name] === undefined || holds(value[name]), `${place}.${name}`, rule);

  function report(each: unknown, place: string): void {
    if (!isObject(each)) {
      expect(false, place, 'not an object');
      return;
    }
    names(each, ['type', 'uom', 'exception', ...INLINE, ...NUMBERS], place);
    const type = typeof each.type === 'string' ? each.type.replace(/^gs1:/, '') : each.type;
    expect(isWord(type, MEASUREMENTS), `${place}.type`, 'not a type of measurement');
    expect(
      NUMBERS.some((name) => each[name] !== undefined),
      place,
      'without a value',
    );
    for (const name of NUMBERS) optional(each, name, isNumber, place, 'not a number');
    optional(
      each,
      'uom',
      (uom) => typeof uom === 'string' && /^[A-Z0-9]{2,3}$/.test(uom),
      place,
      'not a unit',
    );
    optional(each, 'exception', (value) => isWord(value, EXCEPTIONS), place, 'not an exception');
  }

  function sensorElement(each: unknown, place: string): void {
    if (!isObject(each)) {
      expect(false, place, 'not an object');
      return;
    }
    names(each, ['sensorMetadata', 'sensorReport'], place);
    const reports = listOf(each.sensorReport);
    expect(reports.length > 0, `${place}.sensorReport`, 'empty');
    for (const [index, one] of reports.entries()) report(one, `${place}.sensorReport[${index}]`);
    if (each.sensorMetadata === undefined) return;
    const metadata = each.sensorMetadata;
    if (!isObject(metadata)) {
      expect(false, `${place}.sensorMetadata`, 'not an object');
      return;
    }
    names(metadata, ['startTime', 'endTime', ...INLINE], `${place}.sensorMetadata`);
    for (const name of ['time', 'startTime', 'endTime'])
      optional(metadata, name, isTime, `${place}.sensorMetadata`, 'not a time');
    for (const name of INLINE.slice(1))
      optional(metadata, name, isUri, `${place}.sensorMetadata`, 'not a URI');
    for (const name of INLINE)
      expect(
        metadata[name] === undefined || reports.every((one) => !isObject(one) || one[name] === undefined),
        `${place}.${name}`,
        'both in metadata and in a report',
      );
  }

  function event(each: unknown, place: string): void {
    if (!isObject(each)) {
      expect(false, place, 'not an object');
      return;
    }
    names(each, EVENT, place);
    expect(EVENT_TYPES.includes(String(each.type)), `${place}.type`, 'not an event');
    expect(isTime(each.eventTime), `${place}.eventTime`, 'not a time');
    optional(each, 'recordTime', isTime, place, 'not a time');
    expect(
      typeof each.eventTimeZoneOffset === 'string' &&
        /^[+-]((0\d|1[0-3]):[0-5]\d|14:00)$/.test(each.eventTimeZoneOffset),
      `${place}.eventTimeZoneOffset`,
      'not an offset',
    );
    optional(each, 'eventID', isUri, place, 'not a URI');
    expect(ACTIONS.includes(String(each.action)), `${place}.action`, 'not an action');
    optional(each, 'bizStep', (word) => isWord(word, BIZ_STEPS), place, 'not a word of the vocabulary');
    optional(
      each,
      'disposition',
      (word) => isWord(word, DISPOSITIONS),
      place,
      'not a word of the vocabulary',
    );
    const epcs = listOf(each.epcList);
    expect(epcs.every(isUri) && new Set(epcs).size === epcs.length, `${place}.epcList`, 'not different URIs');
    const elements = listOf(each.sensorElementList);
    expect(
      each.type !== 'ObjectEvent' ||
        each.epcList !== undefined ||
        each.quantityList !== undefined ||
        (elements.length > 0 && each.readPoint !== undefined),
      place,
      'without objects, quantities, or sensor elements at a read point',
    );
    for (const name of ['readPoint', 'bizLocation'])
      optional(each, name, (at) => isObject(at) && isUri(at.id), place, 'without an id');
    for (const [index, one] of listOf(each.bizTransactionList).entries()) {
      const at = `${place}.bizTransactionList[${index}]`;
      if (!isObject(one)) expect(false, at, 'not an object');
      else {
        expect(isUri(one.bizTransaction), at, 'without a URI');
        optional(one, 'type', (type) => isWord(type, TRANSACTIONS), at, 'not a word of the vocabulary');
      }
    }
    for (const [index, one] of elements.entries()) sensorElement(one, `${place}.sensorElementList[${index}]`);
  }

  if (!isObject(document)) return ['document: not an object'];
  names(document, DOCUMENT, 'document');
  expect(listOf(document['@context']).includes(CONTEXT), '@context', 'without that of EPCIS');
  expect(document.schemaVersion === '2.0', 'schemaVersion', 'not 2.0');
  expect(isTime(document.creationDate), 'creationDate', 'not a time');
  const body = isObject(document.epcisBody) ? document.epcisBody : {};
  const results = isObject(body.queryResults) ? body.queryResults : {};
  const resultsBody = isObject(results.resultsBody) ? results.resultsBody : {};
  const isQuery = document.type === 'EPCISQueryDocument';
  expect(isQuery || document.type === 'EPCISDocument', 'type', 'not a document');
  if (isQuery) expect(typeof results.queryName === 'string', 'queryName', 'missing');
  const eventList = isQuery ? resultsBody.eventList : body.eventList;
  expect(Array.isArray(eventList), 'eventList', 'missing');
  for (const [index, each] of listOf(eventList).entries()) event(each, `eventList[${index}]`);
  return faults;
}
