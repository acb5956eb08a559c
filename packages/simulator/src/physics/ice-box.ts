/**
 * A passive cold box: insulated walls, contents, and ice packs. The packs stay at their melting point until
 * the ice is gone, and are replaced in the morning. Units are the same as in the chamber.
 */
export interface IceBoxSpec {
  airKjPerK: number;
  payloadKjPerK: number;
  wallWPerK: number;
  openLidWPerK: number;
  payloadWPerK: number;
  /** Conductance from the packs to the air while all packs are solid; it decreases as they melt. */
  iceWPerK: number;
  /** Heat that melts a full set of packs. */
  iceKj: number;
  /** Effective temperature of conditioned packs, which melt at 0 °C behind a liner. */
  iceC: number;
}

export interface IceBoxState {
  airC: number;
  payloadC: number;
  /** Fraction of the ice that is left: 1 if all packs are solid, 0 if all are melted. */
  iceLeft: number;
}

export function packedIceBox(): IceBoxState {
  return { airC: 4.5, payloadC: 4.5, iceLeft: 1 };
}

export function stepIceBox(
  spec: IceBoxSpec,
  state: IceBoxState,
  input: { ambientC: number; lidOpening: number; refill: boolean },
  dtS: number,
): IceBoxState {
  const iceLeft = input.refill ? 1 : state.iceLeft;
  const ice = spec.iceWPerK * Math.min(1, Math.sqrt(iceLeft) * 1.2);
  const outside = spec.wallWPerK + spec.openLidWPerK * input.lidOpening;
  const kilo = dtS / 1000;
  const airC =
    (state.airC +
      (kilo / spec.airKjPerK) *
        (ice * spec.iceC + outside * input.ambientC + spec.payloadWPerK * state.payloadC)) /
    (1 + (kilo / spec.airKjPerK) * (ice + outside + spec.payloadWPerK));
  const payloadC =
    (state.payloadC + (kilo / spec.payloadKjPerK) * spec.payloadWPerK * airC) /
    (1 + (kilo / spec.payloadKjPerK) * spec.payloadWPerK);
  const melted = (Math.max(0, ice * (airC - spec.iceC)) * kilo) / spec.iceKj;
  return { airC, payloadC, iceLeft: Math.max(0, iceLeft - melted) };
}
