import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { cruise, type ICruiseResult } from 'dependency-cruiser';
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config';

const configuration = createRequire(import.meta.url)('./boundaries.cjs');

/** Names of all rules. */
export const RULES: string[] = configuration.forbidden.map((rule: { name: string }) => rule.name);

export interface Boundaries {
  modules: number;
  violations: { rule: string; from: string; to: string }[];
}

/** Checks the imports of the sources under `root` against tools/boundaries.cjs. */
export async function cruiseBoundaries(root: string): Promise<Boundaries> {
  const sources = ['packages', 'apps', 'bench', 'e2e', 'tools'].filter((folder) =>
    existsSync(join(root, folder)),
  );
  const { output } = await cruise(
    sources,
    {
      ...configuration.options,
      tsConfig: undefined,
      baseDir: root,
      validate: true,
      ruleSet: { forbidden: configuration.forbidden },
    },
    configuration.options.enhancedResolveOptions,
    { tsConfig: extractTSConfig(join(root, configuration.options.tsConfig.fileName)) },
  );
  const { summary } = output as ICruiseResult;
  return {
    modules: summary.totalCruised,
    violations: summary.violations.map(({ rule, from, to }) => ({ rule: rule.name, from, to })),
  };
}

/**
 * Minimum number of modules. With TypeScript 7, dependency-cruiser reads no modules and reports success, so
 * fewer modules are an error.
 */
const FEWEST_MODULES = 100;

export async function checkBoundaries(root: string): Promise<string[]> {
  const { modules, violations } = await cruiseBoundaries(root);
  if (modules < FEWEST_MODULES) return [`only ${modules} modules were read: the check does not work`];
  return violations.map(({ rule, from, to }) => `${rule}: ${from} → ${to}`);
}
