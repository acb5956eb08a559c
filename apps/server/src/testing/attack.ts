/**
 * The attacks of `npm run attack`: a part of each runs in every test run, all of them with
 * `ISOTHERM_ATTACK=all`.
 */
export const ATTACK = {
  isAll: process.env.ISOTHERM_ATTACK === 'all',
  /** Printed on failure, to repeat it: `ISOTHERM_ATTACK_SEED`. */
  seed: Number(process.env.ISOTHERM_ATTACK_SEED ?? 20261123),
};

/** Rounds in a normal test run, and with all attacks. */
export const rounds = (usual: number, all: number): number => (ATTACK.isAll ? all : usual);
