import { givenOrder, MOST_DEVICES_AT_ONCE, sendCommands } from '@isotherm/contracts/commands';
import type { BodyOf } from '@isotherm/contracts/route';
import type { GivenKind } from '@isotherm/domain/devices/command';
import { z } from 'zod';

const { devices, note, expiresInS } = sendCommands.body.shape;

/** Returns the device numbers in a pasted text, such as a column of a spreadsheet. */
export function pastedNumbers(pasted: string): string[] {
  return pasted.split(/[\s,;，；、]+/).filter((number) => number !== '');
}

/**
 * Returns the fields of one kind of command with the rules of the contract; an empty limit means no limit.
 */
function orderShape(kind: GivenKind) {
  const order = givenOrder.options.find(({ shape }) => shape.kind.value === kind) as z.ZodObject;
  const { low, high } = order.shape as Record<string, z.ZodType>;
  return low && high
    ? order.strip().safeExtend({ low: low.prefault(null), high: high.prefault(null) })
    : order.strip();
}

/** Returns the form schema for one kind of command; fields of other kinds are ignored. */
export function draftOf(kind: GivenKind): z.ZodObject {
  return orderShape(kind)
    .safeExtend({
      devices: z.array(devices.element).default([]),
      numbers: z.string().default('').transform(pastedNumbers).pipe(z.array(devices.element)),
      note,
      expiresInS,
    })
    .superRefine((draft, { addIssue }) => {
      const count = chosen(draft).length;
      if (count === 0) addIssue({ code: 'custom', path: ['devices'], message: 'required' });
      if (count > MOST_DEVICES_AT_ONCE)
        addIssue({ code: 'too_big', origin: 'array', maximum: MOST_DEVICES_AT_ONCE, path: ['numbers'] });
    }) as z.ZodObject;
}

function chosen(draft: Record<string, unknown>): string[] {
  return [...new Set([...(draft.devices as string[]), ...(draft.numbers as string[])])];
}

/** Converts the form values to the request body; throws if `draftOf(kind)` finds an error. */
export function bodyOf(kind: GivenKind, values: unknown): BodyOf<typeof sendCommands> {
  const draft = draftOf(kind).parse(values) as Record<string, unknown>;
  return sendCommands.body.parse({
    devices: chosen(draft),
    order: orderShape(kind).parse(draft),
    note: draft.note,
    expiresInS: draft.expiresInS,
  });
}
