import type { AssetCard, AssetState, ChannelValue } from '@isotherm/contracts/assets';
import { createTranslator } from '@isotherm/i18n/translator';
import { describe, expect, it } from 'vitest';
import type { Text } from '../../shared/i18n/use-text.ts';
import { aCard } from '../../shared/testing/data.ts';
import { deviationOf, ownerText, peakText, stateTitle } from './asset-words.ts';

const translate = createTranslator();
const text: Text = (id, values) => translate('en', id, values);

type AlarmState = Extract<AssetState, { kind: 'alarm' }>;
const alarm = (over: Partial<AlarmState> = {}): AlarmState => ({
  kind: 'alarm',
  alarmId: 1,
  level: 4,
  alarmKind: 'high',
  indicator: 'temperature',
  since: '2026-11-20T02:00:00.000Z',
  limitValue: 8,
  recovering: false,
  acknowledgedBy: null,
  ...over,
});
const main = (over: Partial<ChannelValue> = {}): ChannelValue => ({
  ...(aCard().main as ChannelValue),
  ...over,
});
const battery = main({ channelId: 81, indicator: 'battery', value: 13, low: 20, high: null });

describe('the deviation text', () => {
  it('the deviation is measured from the tightest limit, so that a higher alarm level does not look better', () => {
    const at12 = (state: AssetState) => deviationOf(aCard({ state, main: main({ value: 12.4 }) }), text);
    expect(at12(alarm({ level: 4, limitValue: 8 }))).toBe('4.4 above 8.0');
    expect(at12(alarm({ level: 5, limitValue: 10 }))).toBe('4.4 above 8.0');
  });
  it("the deviation is measured from the alarm's own limit if no limit is in force any more", () => {
    const bare = main({ value: 12.4, low: null, high: null });
    expect(deviationOf(aCard({ state: alarm({ limitValue: 10 }), main: bare }), text)).toBe('2.4 above 10.0');
    expect(deviationOf(aCard({ state: { kind: 'unset' }, main: bare }), text)).toBeNull();
  });
  it('the deviation is empty if another channel causes the alarm', () => {
    const state = alarm({ indicator: 'battery', alarmKind: 'low', limitValue: 20 });
    expect(deviationOf(aCard({ state, cause: battery }), text)).toBeNull();
  });
});

describe('the alarm line of a card', () => {
  it.each([
    ['temperature', 'high', 'Outside limits'],
    ['battery', 'low', 'Battery low'],
    ['power', 'low', 'Power off'],
  ] as const)('the title of a pending alarm about %s (%s) is %s', (indicator, alarmKind, expected) => {
    const { level, since, limitValue } = alarm();
    const state = { kind: 'pending' as const, level, since, limitValue, indicator, alarmKind, dueAt: since };
    expect(stateTitle({ state, cause: null }, text)).toBe(expected);
  });
  it('the title names the cause, with its value if the card shows another channel', () => {
    const state = alarm({ level: 1, indicator: 'battery', alarmKind: 'low' });
    expect(stateTitle({ state, cause: battery }, text)).toBe('Level 1 · Battery low, 13 %');
    expect(stateTitle({ state: alarm(), cause: null }, text)).toBe('Level 4 · Too warm');
    const silent: AssetState = {
      kind: 'unknown',
      since: null,
      alarm: { alarmId: 1, level: 3, acknowledgedBy: null },
    };
    expect(stateTitle({ state: silent, cause: null }, text)).toBe('Level 3 · No data');
    expect(stateTitle({ state: { kind: 'unset' }, cause: null }, text)).toBe('No limits set');
    const since = '2026-11-20T00:00:00.000Z';
    expect(stateTitle({ state: { kind: 'expired', since }, cause: null }, text)).toBe('Subscription expired');
  });
  it('the title does not show the current value of the cause after the alarm has ended', () => {
    const { recovering, acknowledgedBy, ...common } = alarm({
      level: 1,
      indicator: 'battery',
      alarmKind: 'low',
    });
    const state: AssetState = { ...common, kind: 'ended', endedAt: common.since, peakValue: 6 };
    expect(stateTitle({ state, cause: battery }, text)).toBe('Level 1 · Battery low');
    expect(peakText({ state }, text)).toBe('lowest 6 %');
  });
  it('an ended alarm shows its peak value', () => {
    const { recovering, acknowledgedBy, ...common } = alarm();
    const state: AssetState = { ...common, kind: 'ended', endedAt: common.since, peakValue: 12.4 };
    expect(peakText({ state }, text)).toBe('peak 12.4 °C');
    expect(ownerText({ state, attention: 1 }, text)).toBe('Not acknowledged');
    expect(peakText({ state: alarm() }, text)).toBeNull();
  });
});

it.each<[Pick<AssetCard, 'state' | 'attention'>, string | null]>([
  [{ state: alarm(), attention: 1 }, 'Not acknowledged'],
  [{ state: alarm({ acknowledgedBy: 'Chen Wei' }), attention: 3 }, 'Acknowledged by Chen Wei · 2 more'],
  [
    {
      state: { kind: 'unknown', since: null, alarm: { alarmId: 1, level: 3, acknowledgedBy: 'Li' } },
      attention: 1,
    },
    'Acknowledged by Li',
  ],
  [{ state: { kind: 'unknown', since: null, alarm: null }, attention: 2 }, '2 alarms'],
  [{ state: { kind: 'normal' }, attention: 0 }, null],
])('for %j the card shows who acknowledged the alarm', (card, owner) => {
  expect(ownerText(card, text)).toBe(owner);
});
