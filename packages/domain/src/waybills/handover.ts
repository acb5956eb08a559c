import { type Course, type StepFault, take, type WaybillStep } from './waybill.ts';

/** Steps that two persons confirm on a phone, one of them with a signature. */
export const HANDOVER_KINDS = ['depart', 'transship', 'deliver', 'reject'] as const;
export type HandoverKind = (typeof HANDOVER_KINDS)[number];

/** Rectangle in which a signature is drawn. */
export const SIGNATURE_BOX = { width: 600, height: 200 };
/** A stroke is a list of whole numbers, x and y in turn. */
export type Stroke = readonly number[];
/** A signature has about 10 strokes and 500 points. */
export const MAX_STROKES = 100;
export const MAX_POINTS = 4_000;
/** Points that are nearer than this to the last one do not change the line visibly. */
const STEP = 2;

/** Returns whether strokes are a signature: pairs of whole numbers inside the box, neither empty nor too long. */
export function isSignature(strokes: readonly Stroke[]): boolean {
  if (strokes.length === 0 || strokes.length > MAX_STROKES) return false;
  if (strokes.reduce((sum, stroke) => sum + stroke.length, 0) > 2 * MAX_POINTS) return false;
  return strokes.every(
    (stroke) =>
      stroke.length >= 2 &&
      stroke.length % 2 === 0 &&
      stroke.every(
        (value, index) =>
          Number.isInteger(value) &&
          value >= 0 &&
          value <= (index % 2 === 0 ? SIGNATURE_BOX.width : SIGNATURE_BOX.height),
      ),
  );
}

/** Adds a point to a stroke, rounded and moved into the box; a point that changes nothing is left out. */
export function withPoint(stroke: Stroke, x: number, y: number): Stroke {
  const inside = (value: number, most: number) => Math.min(most, Math.max(0, Math.round(value)));
  const point = [inside(x, SIGNATURE_BOX.width), inside(y, SIGNATURE_BOX.height)] as const;
  const [lastX, lastY] = stroke.slice(-2);
  const isNear =
    lastX !== undefined &&
    lastY !== undefined &&
    Math.abs(point[0] - lastX) < STEP &&
    Math.abs(point[1] - lastY) < STEP;
  return isNear ? stroke : [...stroke, ...point];
}

/** Returns strokes as the path of an SVG in the signature box. A single point is a line without length. */
export function signaturePath(strokes: readonly Stroke[]): string {
  return strokes
    .map((stroke) => {
      const points: string[] = [];
      for (let i = 0; i < stroke.length; i += 2)
        points.push(`${i === 0 ? 'M' : 'L'}${stroke[i]} ${stroke[i + 1]}`);
      return stroke.length === 2 ? `${points.join('')}h0` : points.join('');
    })
    .join('');
}

/** One kind of goods as the waybill said when it was handed over, and how much of it was received. */
export interface ReceivedGoods {
  product: string;
  batch: string;
  unit: string;
  quantity: number;
  received: number;
}

/** What was found at a hand-over. */
export interface Findings {
  kind: HandoverKind;
  sealsIntact: boolean;
  undamaged: boolean;
  received: readonly Pick<ReceivedGoods, 'quantity' | 'received'>[];
}

/** Returns whether something was found that needs a remark: a rejection, missing goods, damage, or a broken seal. */
export const needsRemark = ({ kind, sealsIntact, undamaged, received }: Findings): boolean =>
  kind === 'reject' || !sealsIntact || !undamaged || isPartial(received);

/** Returns whether less was received than the waybill says. */
export const isPartial = (received: Findings['received']): boolean =>
  received.some((each) => each.received < each.quantity);

/** Why a hand-over is not possible. */
export type HandoverFault =
  | StepFault
  /** Somebody has signed the end of the transport already. */
  | 'signed';

const ENDS: Partial<Record<WaybillStep['action'], Course['state']>> = {
  deliver: 'arrived',
  reject: 'rejected',
};

/**
 * Takes the step of a hand-over. A delivery or rejection that was recorded without a signature, by a geofence or at a desk,
 * is signed afterwards: then the course is unchanged.
 *
 * @param isSigned whether the end of the transport has a signature
 */
export function handOver(
  course: Course,
  step: Exclude<WaybillStep, { action: 'adjust' }>,
  isSigned: boolean,
  now: number,
): Course | { fault: HandoverFault } {
  const end = ENDS[step.action];
  const hasEnded = course.state === 'arrived' || course.state === 'rejected';
  if (end !== undefined && hasEnded) {
    if (isSigned) return { fault: 'signed' };
    if (course.state === end) return course;
  }
  return take(course, step, now);
}

/** Returns the hand-overs that are possible in a state. */
export function handoversIn(state: Course['state'], isSigned: boolean): HandoverKind[] {
  if (state === 'not-shipped') return ['depart'];
  if (state === 'in-transport') return ['deliver', 'transship', 'reject'];
  if (isSigned) return [];
  return [state === 'arrived' ? 'deliver' : 'reject'];
}
