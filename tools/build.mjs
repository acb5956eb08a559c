import { cpSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { contentHash, ROOT, stamp } from './content-stamp.mjs';
import { run } from './install.mjs';
import { precompress } from './precompress.mjs';
import { createTerminal } from './terminal.mjs';

const COMMON = ['package-lock.json', 'tsconfig.json', 'tools/build.mjs', 'tools/precompress.mjs'];
const packages = (...names) => names.map((name) => `packages/${name}/src`);

/** Each part is rebuilt only if one of its sources has changed. */
const PARTS = [
  {
    name: 'server',
    sources: [
      'apps/server/src',
      ...packages('domain', 'protocol', 'contracts', 'i18n', 'postgres'),
      'packages/i18n/locales',
    ],
    products: ['dist/main.js'],
    build: () => bundle('apps/server/src/main.ts', 'dist/main.js'),
  },
  {
    name: 'migrations',
    sources: ['apps/server/migrations'],
    products: ['dist/migrations'],
    build: async () => {
      rmSync(join(ROOT, 'dist/migrations'), { recursive: true, force: true });
      cpSync(join(ROOT, 'apps/server/migrations'), join(ROOT, 'dist/migrations'), { recursive: true });
    },
  },
  {
    name: 'launcher',
    sources: packages('launcher', 'postgres'),
    products: ['dist/launch.js'],
    build: () => bundle('packages/launcher/src/launch.ts', 'dist/launch.js'),
  },
  {
    name: 'simulator',
    sources: packages('simulator', 'domain', 'protocol', 'contracts'),
    products: ['dist/simulate.js'],
    build: () => bundle('packages/simulator/src/cli.ts', 'dist/simulate.js'),
  },
  {
    name: 'console',
    sources: [
      'apps/web/src',
      'apps/web/public',
      'apps/web/index.html',
      'apps/web/vite.config.ts',
      ...packages('domain', 'contracts', 'i18n'),
      'packages/i18n/locales',
    ],
    products: ['dist/web/index.html'],
    build: async () => {
      await run(process.execPath, [
        join(ROOT, 'node_modules/vite/bin/vite.js'),
        'build',
        'apps/web',
        '-c',
        'apps/web/vite.config.ts',
        '--logLevel',
        'warn',
      ]);
      await bundleWorker();
      await precompress(join(ROOT, 'dist/web'));
    },
  },
];

/** @param {string} entry @param {string} outfile */
async function bundle(entry, outfile) {
  const { build } = await import('esbuild');
  await build({
    absWorkingDir: ROOT,
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20.19',
    format: 'esm',
    sourcemap: true,
    sourcesContent: false,
    legalComments: 'none',
    logLevel: 'silent',
    plugins: [externalPackages, bundledTexts],
  });
}

/** The service worker is one classic script at a fixed address, because browsers compare it with the one they have. */
async function bundleWorker() {
  const { build } = await import('esbuild');
  await build({
    absWorkingDir: ROOT,
    entryPoints: ['apps/web/src/worker/service-worker.ts'],
    outfile: 'dist/web/service-worker.js',
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'es2022',
    legalComments: 'none',
    logLevel: 'silent',
  });
}

/**
 * Workspace packages are bundled, and all others stay in node_modules: `packages: 'external'` would exclude
 * the workspace packages, too.
 */
const externalPackages = {
  name: 'external-packages',
  setup(build) {
    build.onResolve({ filter: /^[^./]/ }, ({ path, kind }) => {
      if (kind === 'entry-point' || path.startsWith('@isotherm/')) return undefined;
      return { path, external: true };
    });
  },
};

/** Bundles the texts of all languages, because the built server has no folder of locales. */
const bundledTexts = {
  name: 'bundled-texts',
  setup(build) {
    build.onLoad({ filter: /packages[\\/]i18n[\\/]src[\\/]catalogues\.ts$/ }, () => {
      const folder = join(ROOT, 'packages/i18n/locales');
      const catalogues = {};
      for (const language of readdirSync(folder)) {
        catalogues[language] = {};
        for (const file of readdirSync(join(folder, language)))
          Object.assign(catalogues[language], JSON.parse(readFileSync(join(folder, language, file), 'utf8')));
      }
      return { contents: `export const CATALOGUES = ${JSON.stringify(catalogues)};`, loader: 'js' };
    });
  },
};

/**
 * Builds what has changed.
 * @returns the names of the built parts.
 * @param {ReturnType<typeof createTerminal>} terminal
 */
export async function buildChanged(terminal) {
  const stale = PARTS.map((part) => ({
    ...part,
    stamp: stamp(`dist/.stamps/${part.name}`, contentHash([...COMMON, ...part.sources])),
  })).filter(
    (part) => !part.stamp.fresh || !part.products.every((product) => existsSync(join(ROOT, product))),
  );
  if (stale.length === 0) return [];
  const names = stale.map((part) => part.name);
  const step = terminal.step(`Building ${names.join(', ')}`);
  const outcomes = await Promise.allSettled(
    stale.map(async (part) => {
      await part.build();
      part.stamp.record();
    }),
  );
  const failed = outcomes.filter((outcome) => outcome.status === 'rejected');
  if (failed.length > 0) throw new Error(failed.map((outcome) => outcome.reason.message).join('\n'));
  step.done(`Built ${names.join(', ')}`);
  return names;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const terminal = createTerminal();
  try {
    const built = await buildChanged(terminal);
    if (built.length === 0) terminal.line('Nothing has changed since the last build.');
  } catch (error) {
    terminal.line(error.message);
    process.exitCode = 1;
  }
  terminal.close();
}
