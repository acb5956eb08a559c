import { createGeofence, type Geofence, getGeofence, listFenceOutlines } from '@isotherm/contracts/geofences';
import { listMapMarks } from '@isotherm/contracts/maps';
import { listOrganizations } from '@isotherm/contracts/organizations';
import type { FenceShape } from '@isotherm/domain/geo/fence';
import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { fakeServer } from '../../../shared/testing/fake-server.ts';
import { holding, renderPage } from '../../../shared/testing/render-page.tsx';
import {
  draftOf,
  emptyDraft,
  placesText,
  shapeOf,
  typedPlaces,
  withClick,
  withDrag,
  withKind,
  withoutPoint,
} from './fence-draft.ts';
import { boundsOf, outlineFeature } from './fence-features.ts';
import GeofencesPage from './map-geofences.page.tsx';

// The theme asks for the system's preference when it is loaded; jsdom has no such function.
vi.hoisted(() => vi.stubGlobal('matchMedia', () => ({ matches: false })));

const place = (latitude: number, longitude: number) => ({ latitude, longitude });

it.each<[string, string, object]>([
  ['one place', '31.2, 121.4', { places: [place(31.2, 121.4)], faultyLine: null }],
  [
    'other separators and empty lines',
    '31.2;121.4\n\n-1 -2',
    { places: [place(31.2, 121.4), place(-1, -2)], faultyLine: null },
  ],
  ['a word', '31.2, 121.4\nhere', { faultyLine: 2 }],
  ['a latitude beyond the pole', '91, 0', { faultyLine: 1 }],
])('typed places are read: %s', (_, typed, read) => {
  expect(typedPlaces(typed)).toMatchObject(read);
});

it('a shape is drawn by clicks and drags, and its kind can be changed', () => {
  let draft = withClick(emptyDraft('circle'), place(31.2, 181));
  expect(shapeOf(draft)).toEqual({ kind: 'circle', centre: place(31.2, -179), radiusM: 500 });
  draft = withDrag(draft, 'edge', place(31.21, -179));
  expect(draft.sizeM).toBe(1112);
  draft = withKind(draft, 'polygon');
  for (const next of [place(31, 121), place(32, 121)]) draft = withClick(draft, next);
  draft = withDrag(draft, 0, place(31, 120));
  expect(placesText(draft.places)).toBe('31, 120\n31, 121\n32, 121');
  expect(shapeOf(withoutPoint(draft, 1))).toEqual({
    kind: 'polygon',
    ring: [place(31, 120), place(32, 121)],
  });
  expect(shapeOf({ ...draft, faultyLine: 2 })).toBeUndefined();
  expect(shapeOf(emptyDraft('corridor'))).toBeUndefined();
});

it.each<[string, FenceShape]>([
  ['circle', { kind: 'circle', centre: place(0, 180), radiusM: 1_112 }],
  ['polygon', { kind: 'polygon', ring: [place(0, 179.99), place(0, -179.99), place(0.01, 180)] }],
  ['corridor', { kind: 'corridor', line: [place(0, 179.99), place(0, -179.99)], sideM: 100 }],
])('a %s across the antimeridian is drawn without a jump', (_, shape) => {
  const [[west, south], [east, north]] = boundsOf([shape]) ?? [
    [0, 0],
    [0, 0],
  ];
  expect(east - west).toBeLessThan(0.03);
  expect(north - south).toBeLessThan(0.03);
  expect(outlineFeature(shape, { id: 7 }).properties).toMatchObject({ id: 7 });
  expect(shapeOf(draftOf(shape))).toEqual(shape);
});

const DEPOT: Geofence = {
  id: 7,
  organizationId: 1,
  organizationName: 'Huadong Carriers',
  name: 'Depot',
  shape: { kind: 'circle', centre: place(31.2, 121.4), radiusM: 500 },
  marginM: 50,
  dwellMinutes: null,
  shared: true,
  note: '',
  inside: 2,
  version: 1,
  editable: false,
  changedBy: 'demo.manager',
  changedAt: '2026-11-20T02:00:00.000Z',
};

function answered(fences: readonly Geofence[]) {
  const fake = fakeServer();
  fake.answer(getGeofence, () => DEPOT);
  fake.answer(listFenceOutlines, () => ({ fences: [...fences], total: fences.length }));
  fake.answer(listOrganizations, () => [
    { id: 1, parentId: null, code: 'A', name: 'Huadong Carriers', level: 'org' as const },
  ]);
  fake.answer(listMapMarks, () => ({
    marks: [],
    clusters: [],
    inView: 0,
    positioned: 0,
    unpositioned: 0,
    extent: null,
    serverTime: new Date().toISOString(),
  }));
  return fake;
}

it('without a map, a geofence is created from its typed centre and radius', async () => {
  const fake = answered([]);
  const created = vi.fn();
  fake.answer(createGeofence, ({ json }) => {
    created(json);
    return DEPOT;
  });
  holding(fake, 'map-geofences:view', 'map-geofences:edit');
  const user = userEvent.setup();
  await renderPage(<GeofencesPage />, { at: '/map/geofences?new=1' });
  // The form is complete when its organisation is known.
  await screen.findByText('Huadong Carriers');
  await user.type(screen.getByLabelText(/^Name/), 'Depot');
  const centre = screen.getByLabelText(/^Centre/);
  await user.type(centre, 'nowhere');
  await screen.findByText(/Line 1 is not a latitude and longitude/);
  await user.clear(centre);
  await user.type(centre, '31.2, 121.4');
  const form = centre.closest('form') as HTMLFormElement;
  await user.click(form.querySelector('button[type="submit"]') as HTMLButtonElement);
  await vi.waitFor(() => expect(created).toHaveBeenCalled());
  expect(created.mock.calls[0]?.[0]).toMatchObject({
    name: 'Depot',
    organizationId: 1,
    shape: { kind: 'circle', centre: place(31.2, 121.4), radiusM: 500 },
    marginM: 50,
    dwellMinutes: null,
  });
});

it('a geofence of an organisation above is shown without the actions that change it', async () => {
  const fake = answered([DEPOT]);
  holding(fake, 'map-geofences:view', 'map-geofences:edit');
  const user = userEvent.setup();
  await renderPage(<GeofencesPage />, { at: '/map/geofences' });
  await user.click(await screen.findByRole('button', { name: /Depot/ }));
  await screen.findByText(/belongs to an organisation above/);
  expect(screen.getByText('2 assets inside')).toBeDefined();
  expect(screen.queryByRole('button', { name: 'Delete geofence' })).toBeNull();
});
