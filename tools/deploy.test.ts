import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { createMetrics } from '../apps/server/src/platform/metrics.ts';
import { SERVER_NODE_OPTIONS } from '../packages/launcher/src/server-options.ts';
import { CODE, readFiles } from './source-files.ts';

/**
 * Tests that the files of `deploy/` match the program. The files themselves are not executed here;
 * docs/deployment.md lists which of them were tried out.
 */
const ROOT = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const readYaml = (path: string) => parse(read(path), { merge: true });
const matches = (text: string, pattern: RegExp) =>
  [...text.matchAll(pattern)].map(([, match]) => match ?? '');

const code = readFiles(ROOT, 'apps/server/src', CODE)
  .map(({ text }) => text)
  .join('\n');
const SETTINGS = new Set(matches(read('apps/server/src/config.ts'), /^ {2}([A-Z_]+): /gm));

/** Returns metric names as Prometheus exposes them: a histogram has three. */
async function metricNames(): Promise<Set<string>> {
  const registered = await createMetrics().registry.getMetricsAsJSON();
  const ofOthers = matches(code, /'(isotherm_[a-z_]+)'/g);
  return new Set([
    'up',
    ...ofOthers,
    ...registered.flatMap(({ name, type }) =>
      String(type) === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
    ),
  ]);
}

interface Rule {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string; description: string };
}

interface Panel {
  id: number;
  title: string;
  targets: { expr: string; refId: string }[];
}

const rules: Rule[] = readYaml('deploy/prometheus-rules.yml').groups.flatMap(
  (group: { rules: Rule[] }) => group.rules,
);
const panels: Panel[] = JSON.parse(read('deploy/grafana-dashboard.json')).panels;
/**
 * In an expression, a metric is followed by its labels, its range or the end of its term, and a function by a
 * parenthesis.
 */
const metricsIn = (expr: string) =>
  matches(
    expr.replace(/\b(?:by|offset) *(?:\([^)]*\)|\w+)/g, ''),
    /\b([a-z][a-z0-9_]{1,})(?=[{[ )]|$)(?! *\()/g,
  ).filter((name) => name.includes('_') || name === 'up');

describe('files for Prometheus and Grafana', () => {
  test.each(rules.map((rule) => [rule.alert, rule.expr]))(
    'all metrics used by the alert %s exist',
    async (_, expr) => {
      const names = await metricNames();
      const used = metricsIn(expr).filter((name) => name !== 'histogram_quantile');
      expect(used.length).toBeGreaterThan(0);
      expect(used.filter((name) => !names.has(name))).toEqual([]);
    },
  );

  test('every alert explains what happened and what it means', () => {
    for (const { labels, annotations } of rules) {
      expect(['critical', 'warning']).toContain(labels.severity);
      expect(annotations.summary).not.toBe('');
      expect(annotations.description).not.toBe('');
    }
  });

  test('the metrics of every panel exist, and panels have unique ids', async () => {
    const names = await metricNames();
    for (const { title, targets } of panels)
      for (const { expr } of targets) {
        const used = metricsIn(expr).filter((name) => name !== 'histogram_quantile');
        expect(used.length, title).toBeGreaterThan(0);
        expect(
          used.filter((name) => !names.has(name)),
          title,
        ).toEqual([]);
      }
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  });

  test('each metric of the program is explained in the documentation', () => {
    const explained = read('docs/deployment.md');
    const own = new Set(matches(code, /'(isotherm_[a-z_]+)'/g));
    const notMetrics = new Set(['isotherm_app', 'isotherm_news', 'isotherm_cache', 'isotherm_owner']);
    expect([...own].filter((name) => !notMetrics.has(name) && !explained.includes(`\`${name}\``))).toEqual(
      [],
    );
  });
});

describe('files for containers', () => {
  const compose = readYaml('deploy/compose.yml');
  const broker = readYaml('deploy/compose.broker.yml');
  const dockerfile = read('deploy/Dockerfile');

  test('all settings of the server in the container files exist', () => {
    const given = { ...compose.services.isotherm.environment, ...broker.services.isotherm.environment };
    const used = [...Object.keys(given), ...matches(dockerfile, /(ISOTHERM_[A-Z_]+)=/g)];
    expect(used.filter((name) => !SETTINGS.has(name))).toEqual([]);
  });

  test('all files and volumes of the services exist', () => {
    const { context, dockerfile: path } = compose.services.isotherm.build;
    expect(existsSync(join(ROOT, 'deploy', context, path))).toBe(true);
    const services: { volumes?: string[] }[] = [compose, broker].flatMap((file) =>
      Object.values(file.services),
    );
    const mounts = services.flatMap(({ volumes = [] }) =>
      volumes.map((volume) => volume.split(':')[0] ?? ''),
    );
    const declared = { ...compose.volumes, ...broker.volumes };
    const isThere = (source: string) =>
      source.startsWith('./') ? existsSync(join(ROOT, 'deploy', source)) : source in declared;
    // This file is not in the repository, because the passwords of devices are created with
    // mosquitto_passwd.
    expect(mounts.filter((source) => !isThere(source))).toEqual(['./mosquitto.passwords']);
  });

  test("the server's container has no privileges and a read-only file system", () => {
    const { read_only, cap_drop, security_opt } = compose.services.isotherm;
    expect({ read_only, cap_drop, security_opt }).toEqual({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    });
    expect(matches(dockerfile, /^USER (\w+)/gm)).toEqual(['node']);
    expect(dockerfile.lastIndexOf('\nUSER ')).toBeGreaterThan(dockerfile.lastIndexOf('\nRUN '));
    expect(dockerfile).toMatch(/^HEALTHCHECK /m);
    expect(JSON.parse(matches(dockerfile, /^CMD (.*)$/gm)[0] ?? '')).toEqual([
      'node',
      ...SERVER_NODE_OPTIONS,
      'dist/main.js',
    ]);
  });

  test('the access list of the broker equals that of the documentation', () => {
    const documented = /```acl\n(.*?)```/s
      .exec(read('docs/operating.md'))?.[1]
      ?.replace(/^ {2}/gm, '')
      .trim();
    expect(read('deploy/mosquitto.acl').trim()).toBe(documented);
  });
});

describe('files for systemd', () => {
  const LINE = /^(?:#.*|\[(?:Unit|Service|Install)\]|[A-Z]\w+=.*|)$/;

  test.each<[string, string, (readonly string[])?]>([
    ['isotherm.service', 'tools/start.mjs'],
    ['isotherm@.service', 'dist/main.js', SERVER_NODE_OPTIONS],
  ])('the unit %s starts %s', (name, program, options = []) => {
    const unit = read(`deploy/${name}`);
    expect(unit.split('\n').filter((line) => !LINE.test(line))).toEqual([]);
    expect(matches(unit, /^ExecStart=(.*)$/gm)).toEqual([['/usr/bin/node', ...options, program].join(' ')]);
    expect(existsSync(join(ROOT, program))).toBe(true);
    expect(unit).toMatch(/^NoNewPrivileges=yes$/m);
    const used = matches(unit, /^Environment=(ISOTHERM_\w+)=/gm);
    expect(used.filter((setting) => !SETTINGS.has(setting))).toEqual([]);
  });

  test('all settings of the example file exist', () => {
    const used = matches(read('deploy/isotherm.env.example'), /^#?([A-Z_]+)=/gm);
    expect(used.length).toBeGreaterThan(0);
    expect(used.filter((name) => !SETTINGS.has(name))).toEqual([]);
  });
});
