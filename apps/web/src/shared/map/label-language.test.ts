import { LANGUAGES } from '@isotherm/i18n/languages';
import type { StyleSpecification } from 'maplibre-gl';
import { expect, it } from 'vitest';
import { preparedStyle } from './label-language.ts';

const styleWith = (field: unknown): StyleSpecification => ({
  version: 8,
  sources: { tiles: { type: 'vector', url: 'https://tiles.example/tiles.json' } },
  terrain: { source: 'tiles' },
  layers: [
    { id: 'land', type: 'background' },
    {
      id: 'places',
      type: 'symbol',
      source: 'tiles',
      'source-layer': 'place',
      layout: { 'text-field': field as never, 'text-size': 12 },
    },
  ],
});
const fieldOf = (field: unknown, language: (typeof LANGUAGES)[number]) => {
  const [, layer] = preparedStyle(styleWith(field), language).layers;
  return layer?.type === 'symbol' ? layer.layout?.['text-field'] : undefined;
};
const get = (property: string) => ['get', property];

it.each([
  ['en', ['name:en', 'name']],
  ['es', ['name:es', 'name']],
  ['zh-CN', ['name:zh-Hans', 'name:zh', 'name']],
  ['zh-TW', ['name:zh-Hant', 'name:zh', 'name']],
] as const)('labels are in the language of the reader, in %s by %j', (language, names) => {
  expect(fieldOf('{name}', language)).toEqual(['coalesce', ...names.map(get)]);
});

it.each([
  ['a text with a name', '{name:latin}\n{name:nonlatin}'],
  ['a legacy property', '{name_en}'],
  ['an expression', ['concat', ['get', 'name:latin'], ' ', ['get', 'name:nonlatin']]],
  ['an expression within another one', ['step', ['zoom'], '', 6, ['coalesce', ['get', 'name'], '']]],
  [
    'stops of a function of the zoom',
    {
      stops: [
        [2, '{abbr}'],
        [6, '{name}'],
      ],
    },
  ],
])('%s is replaced by the name in one language', (_, field) => {
  expect(fieldOf(field, 'es')).toEqual(['coalesce', get('name:es'), get('name')]);
});

it.each([
  ['the number of a road', '{ref}'],
  ['a property that only begins like a name', ['get', 'namesake']],
  ['a constant', 'name'],
  ['nothing', undefined],
])('%s stays as it is', (_, field) => {
  for (const language of LANGUAGES) expect(fieldOf(field, language)).toEqual(field);
});

it('sources and layers have names of their own, and there is no terrain', () => {
  const { sources, layers, terrain } = preparedStyle(styleWith('{name}'), 'en');
  expect(Object.keys(sources)).toEqual(['base:tiles']);
  expect(layers.map((layer) => [layer.id, 'source' in layer ? layer.source : null])).toEqual([
    ['base:land', null],
    ['base:places', 'base:tiles'],
  ]);
  expect(terrain).toBeUndefined();
});
