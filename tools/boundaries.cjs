// The arrows of ARCHITECTURE.md as rules for dependency-cruiser. tools/boundaries.test.ts plants a violation
// of each and demands that it be reported.

const FEATURES = [
  'identity',
  'settings',
  'devices',
  'assets',
  'telemetry',
  'validation',
  'reminders',
  'geo',
  'alarms',
  'billing',
  'notifications',
  'waybills',
  'announcements',
  'reports',
  'dashboard',
  'screens',
  'search',
];

const SERVER = '^apps/server/src/';
const WEB = '^apps/web/src/';
const TESTS = '\\.(test|spec|setup)\\.tsx?$|/testing/';
const OURS = '^(packages|apps|bench|e2e|tools)/';

/** `from` may import of ours only what `allowed` lists; packages of npm are package.json's matter. */
function only(name, from, allowed) {
  return {
    name,
    severity: 'error',
    from: { path: from, pathNot: TESTS },
    to: { path: OURS, pathNot: allowed },
  };
}

const packageSources = (...names) => names.map((name) => `^packages/${name}/`);

const featureOrder = FEATURES.slice(0, -1).map((feature, i) => ({
  name: `feature-order-${feature}`,
  comment: `${feature} may import only features that stand before it`,
  severity: 'error',
  from: { path: `${SERVER}features/${feature}/`, pathNot: TESTS },
  to: { path: `${SERVER}features/(${FEATURES.slice(i + 1).join('|')})/` },
}));

module.exports = {
  forbidden: [
    {
      name: 'domain-imports-nothing',
      severity: 'error',
      from: { path: '^packages/domain/', pathNot: TESTS },
      to: { pathNot: '^packages/domain/' },
    },
    only('protocol-imports-domain', '^packages/protocol/', packageSources('protocol', 'domain')),
    only('contracts-import-domain', '^packages/contracts/', packageSources('contracts', 'domain')),
    only('i18n-imports-domain', '^packages/i18n/', packageSources('i18n', 'domain')),
    only('postgres-stands-alone', '^packages/postgres/', packageSources('postgres')),
    only('launcher-imports-postgres', '^packages/launcher/', packageSources('launcher', 'postgres')),
    only(
      'simulator-speaks-protocols',
      '^packages/simulator/',
      packageSources('simulator', 'domain', 'protocol', 'contracts'),
    ),
    only('platform-knows-no-feature', `${SERVER}platform/`, [
      `${SERVER}platform/`,
      ...packageSources('domain', 'contracts', 'i18n', 'postgres'),
    ]),
    only('features-look-down', `${SERVER}features/`, [
      `${SERVER}(features|platform)/`,
      ...packageSources('domain', 'contracts', 'i18n', 'protocol'),
    ]),
    ...featureOrder,
    {
      name: 'feature-door',
      comment: 'a feature is entered through its index.ts',
      severity: 'error',
      from: { path: `${SERVER}features/([^/]+)/`, pathNot: TESTS },
      to: {
        path: `${SERVER}features/[^/]+/`,
        pathNot: [`${SERVER}features/$1/`, '/features/[^/]+/index\\.ts$'],
      },
    },
    {
      name: 'feature-door-from-outside',
      severity: 'error',
      from: { path: SERVER, pathNot: [TESTS, `${SERVER}features/`] },
      to: { path: `${SERVER}features/`, pathNot: '/features/[^/]+/index\\.ts$' },
    },
    {
      name: 'feature-is-declared',
      comment: `a feature that the order does not list: ${FEATURES.join(', ')}`,
      severity: 'error',
      from: {},
      to: { path: `${SERVER}features/`, pathNot: `${SERVER}features/(${FEATURES.join('|')})/` },
    },
    only('gateways-look-down', `${SERVER}gateways/`, [
      `${SERVER}(gateways|features|platform)/`,
      ...packageSources('domain', 'contracts', 'i18n', 'protocol'),
    ]),
    only('config-stands-alone', `${SERVER}config\\.ts$`, packageSources('domain', 'contracts')),
    {
      name: 'compose-does-not-know-main',
      severity: 'error',
      from: { path: SERVER, pathNot: TESTS },
      to: { path: `${SERVER}main\\.ts$` },
    },
    only('main-only-starts', `${SERVER}main\\.ts$`, [
      `${SERVER}(compose|config)\\.ts$`,
      `${SERVER}platform/`,
    ]),
    {
      name: 'server-not-web',
      severity: 'error',
      from: { path: '^apps/server/' },
      to: { path: '^apps/web/' },
    },
    {
      name: 'web-not-server',
      severity: 'error',
      from: { path: '^apps/web/' },
      to: { path: '^apps/server/' },
    },
    only('web-shared-knows-no-feature', `${WEB}shared/`, [
      `${WEB}shared/`,
      ...packageSources('domain', 'contracts', 'i18n'),
    ]),
    only('web-features-look-down', `${WEB}features/`, [
      `${WEB}(features|shared)/`,
      ...packageSources('domain', 'contracts', 'i18n'),
    ]),
    {
      name: 'web-features-are-strangers',
      severity: 'error',
      from: { path: `${WEB}features/([^/]+)/`, pathNot: TESTS },
      to: { path: `${WEB}features/`, pathNot: `${WEB}features/$1/` },
    },
    only('web-app-composes', `${WEB}app/`, [WEB, ...packageSources('domain', 'contracts', 'i18n')]),
    {
      name: 'packages-know-no-app',
      severity: 'error',
      from: { path: '^packages/' },
      to: { path: '^(apps|bench|e2e|tools)/', pathNot: '^tools/terminal\\.mjs$' },
    },
    {
      name: 'testkit-in-tests-only',
      severity: 'error',
      from: { pathNot: ['^packages/testkit/', '^(e2e|bench)/', TESTS] },
      to: { path: '^packages/testkit/' },
    },
    {
      name: 'no-cycle',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'resolves',
      comment: 'an import that is not found is an arrow that is not checked',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(dist|coverage|\\.isotherm)/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    // Without these two, workspace imports stay unresolved and no rule matches them.
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.mjs', '.cjs', '.js', '.json'],
    },
  },
};
