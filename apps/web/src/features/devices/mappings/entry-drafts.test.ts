import { describe, expect, it } from 'vitest';
import { draftsOf, entriesOf, suggestedChannel, wholeEntries, withDraft } from './entry-drafts.ts';

const ENTRY = { path: 'probe.t10', channel: 'carbon-dioxide-12', factor: 0.1, offset: -40 };

describe('mapping entries during input', () => {
  it('complete entries are returned unchanged', () => {
    expect(wholeEntries(draftsOf([ENTRY]))).toEqual([ENTRY]);
  });

  it.each([
    ['a fraction is accepted', { factor: '0.1' }, [{ ...ENTRY, factor: 0.1 }]],
    ['the decimal comma of another language is rejected', { factor: '0,1' }, []],
    [
      'an empty factor is 1, and an empty offset is 0',
      { factor: '', offset: ' ' },
      [{ ...ENTRY, factor: 1, offset: 0 }],
    ],
    ['spaces around the name are removed', { path: ' probe.t10 ' }, [ENTRY]],
    ['a factor of 0 is rejected', { factor: '0' }, []],
    ['a factor that is not a number is rejected', { factor: 'ten' }, []],
    ['an entry without a name is incomplete', { path: '' }, []],
    ['an entry without a channel is incomplete', { indicator: undefined }, []],
  ])('only complete entries are returned: %s', (_name, changes, entries) => {
    expect(wholeEntries(draftsOf([ENTRY]).map((draft) => ({ ...draft, ...changes })))).toEqual(entries);
  });

  it('an invalid number is kept, so that the schema rejects it', () => {
    const drafts = draftsOf([ENTRY]).map((draft) => ({ ...draft, factor: 'ten' }));
    expect(entriesOf(drafts)[0]?.factor).toBe('ten');
  });

  it.each([
    ['object.TempC', 'temperature'],
    ['probes.0.t', 'temperature'],
    ['probes.0', undefined],
    ['t1', 'temperature'],
    ['Hum_SHT', 'humidity'],
    ['BatV', 'voltage'],
    ['battery_level', 'battery'],
    ['battery_voltage', 'voltage'],
    ['co2', 'carbon-dioxide'],
    ['o2', 'oxygen'],
    ['rssi', 'signal'],
    ['firmware', undefined],
  ])('the name %s suggests the quantity %s', (path, indicator) => {
    expect(withDraft([], path)[0]).toMatchObject({ path, indicator, sensor: 1, factor: '1', offset: '0' });
  });

  it('a new entry gets the next unused sensor index and a unique row key', () => {
    const drafts = ['temp_1', 'temp_2', 'hum'].reduce(
      (before, path) => withDraft(before, path),
      draftsOf([]),
    );
    expect(drafts.map(({ indicator, sensor }) => `${indicator}-${sensor}`)).toEqual([
      'temperature-1',
      'temperature-2',
      'humidity-1',
    ]);
    expect(new Set(drafts.map(({ key }) => key)).size).toBe(3);
  });

  it.each([
    ['Bat_mV', 'voltage', '0.001', '0'],
    ['vdd', 'voltage', '0.001', '0'],
    ['probe.temp_f', 'temperature', '0.555555555556', '-17.7777777778'],
    ['TempC', 'temperature', '1', '0'],
  ])('the unit in the name %s determines the conversion', (path, indicator, factor, offset) => {
    expect(withDraft([], path)[0]).toMatchObject({ indicator, factor, offset });
  });

  it('a channel of the device that no entry uses yet is preferred', () => {
    const channels = new Set(['temperature-2', 'temperature-4']);
    const first = { ...ENTRY, channel: 'temperature-2' };
    expect(suggestedChannel([], 'TempC', channels)).toBe('temperature-2');
    expect(suggestedChannel([first], 'TempC', channels)).toBe('temperature-4');
    expect(suggestedChannel([first], 'Hum', channels)).toBe('humidity-1');
    expect(suggestedChannel([], 'pressure', channels)).toBeNull();
  });
});
