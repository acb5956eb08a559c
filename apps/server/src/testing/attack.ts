/** The attacks of `npm run attack`: a part of each in every test run, all of them with `ISOTHERM_ATTACK=all`. */
export const ATTACK = {
  isAll: process.env.ISOTHERM_ATTACK === 'all',
  /** Printed with what fails, so that it can be tried again: `ISOTHERM_ATTACK_SEED`. */
  seed: Number(process.env.ISOTHERM_ATTACK_SEED ?? 20261123),
};

/** So many in every test run, and so many in all. */
export const rounds = (usual: number, all: number): number => (ATTACK.isAll ? all : usual);
