import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type HandoverFault,
  handOver,
  handoversIn,
  isPartial,
  isSignature,
  MAX_POINTS,
  MAX_STROKES,
  needsRemark,
  SIGNATURE_BOX,
  type Stroke,
  signaturePath,
  withPoint,
} from './handover.ts';
import { type Course, NOT_SHIPPED, type WaybillStep } from './waybill.ts';

const NOW = 1_000;
const IN_TRANSPORT: Course = { state: 'in-transport', legs: [{ assetId: 1, from: 100, until: null }] };
const ARRIVED: Course = { state: 'arrived', legs: [{ assetId: 1, from: 100, until: 200 }] };
const REJECTED: Course = { state: 'rejected', legs: ARRIVED.legs };
const deliver = { action: 'deliver', at: 300 } as const;
const reject = { action: 'reject', at: 300 } as const;
const depart = { action: 'depart', at: 300, assetId: 1 } as const;

describe('the step of a hand-over', () => {
  it.each<[string, Course, Exclude<WaybillStep, { action: 'adjust' }>, boolean, HandoverFault]>([
    ['deliver before departing', NOT_SHIPPED, deliver, false, 'state'],
    ['deliver what was delivered with a signature', ARRIVED, deliver, true, 'signed'],
    ['reject what was delivered with a signature', ARRIVED, reject, true, 'signed'],
    ['reject what was delivered without a signature', ARRIVED, reject, false, 'state'],
    ['deliver what was rejected without a signature', REJECTED, deliver, false, 'state'],
    ['depart a second time', ARRIVED, depart, false, 'state'],
    ['transship onto the same asset', IN_TRANSPORT, { ...depart, action: 'transship' }, false, 'same-asset'],
  ])('%s is refused', (_, course, step, isSigned, fault) => {
    expect(handOver(course, step, isSigned, NOW)).toEqual({ fault });
  });

  it('a delivery ends the leg', () => {
    expect(handOver(IN_TRANSPORT, deliver, false, NOW)).toEqual({
      state: 'arrived',
      legs: [{ assetId: 1, from: 100, until: 300 }],
    });
  });

  it.each([
    [ARRIVED, deliver],
    [REJECTED, reject],
  ])('what has ended without a signature is signed afterwards, and its course stays', (course, step) => {
    expect(handOver(course, step, false, NOW)).toBe(course);
  });

  it.each([
    ['not-shipped', false, ['depart']],
    ['in-transport', false, ['deliver', 'transship', 'reject']],
    ['arrived', false, ['deliver']],
    ['rejected', false, ['reject']],
    ['arrived', true, []],
  ] as const)('the hand-overs of a waybill that is %s, signed: %s', (state, isSigned, kinds) => {
    expect(handoversIn(state, isSigned)).toEqual(kinds);
  });
});

describe('a signature', () => {
  it.each<[string, Stroke[], boolean]>([
    ['a line', [[0, 0, 600, 200]], true],
    ['a dot', [[5, 5]], true],
    ['nothing', [], false],
    ['an empty stroke', [[]], false],
    ['half a point', [[1, 2, 3]], false],
    ['a point right of the box', [[601, 0]], false],
    ['a point below the box', [[0, 201]], false],
    ['a negative point', [[-1, 0]], false],
    ['a fraction', [[0.5, 0]], false],
    ['too many strokes', Array.from({ length: MAX_STROKES + 1 }, () => [1, 1]), false],
    ['too many points', [Array.from({ length: 2 * MAX_POINTS + 2 }, () => 1)], false],
  ])('%s', (_, strokes, is) => {
    expect(isSignature(strokes)).toBe(is);
  });

  it('the path draws strokes and dots', () => {
    expect(
      signaturePath([
        [1, 2, 3, 4],
        [5, 6],
      ]),
    ).toBe('M1 2L3 4M5 6h0');
  });

  it('points are moved into the box, and those that change nothing are left out', () => {
    expect(withPoint([], -5, 250.4)).toEqual([0, SIGNATURE_BOX.height]);
    expect(withPoint([10, 10], 11, 11)).toEqual([10, 10]);
    expect(withPoint([10, 10], 10, 14)).toEqual([10, 10, 10, 14]);
    expect(withPoint([10, 10], 14, 10)).toEqual([10, 10, 14, 10]);
  });

  it('whatever the finger does on the glass is a signature', () => {
    const move = fc.tuple(
      fc.double({ min: -900, max: 900, noNaN: true }),
      fc.double({ min: -900, max: 900, noNaN: true }),
    );
    fc.assert(
      fc.property(fc.array(move, { minLength: 1, maxLength: 300 }), (moves) => {
        const stroke = moves.reduce<Stroke>((line, [x, y]) => withPoint(line, x, y), []);
        expect(isSignature([stroke])).toBe(true);
      }),
    );
  });
});

describe('findings', () => {
  const fine = { kind: 'deliver', sealsIntact: true, undamaged: true, received: [] } as const;
  it.each([
    [fine, false],
    [{ ...fine, received: [{ quantity: 12, received: 12 }] }, false],
    [{ ...fine, received: [{ quantity: 12, received: 11 }] }, true],
    [{ ...fine, sealsIntact: false }, true],
    [{ ...fine, undamaged: false }, true],
    [{ ...fine, kind: 'reject' as const }, true],
  ])('%j needs a remark: %s', (findings, needs) => {
    expect(needsRemark(findings)).toBe(needs);
  });

  it('a delivery is partial if less of one kind was received', () => {
    expect(
      isPartial([
        { quantity: 2, received: 2 },
        { quantity: 3, received: 0 },
      ]),
    ).toBe(true);
    expect(isPartial([{ quantity: 2, received: 2 }])).toBe(false);
  });
});
