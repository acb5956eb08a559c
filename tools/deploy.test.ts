import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { readFiles } from './source-files.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const read = (name: string) => readFileSync(join(ROOT, 'deploy', name), 'utf8');
const sources = ['apps/server/src', 'packages/launcher/src']
  .flatMap((folder) => readFiles(ROOT.replace(/[\\/]$/, ''), folder, /\.ts$/))
  .filter(({ path }) => !path.includes('.test.'))
  .map(({ text }) => text)
  .join('\n');

interface Compose {
  services: Record<string, { volumes?: string[]; environment?: Record<string, string>; read_only?: boolean }>;
  volumes: Record<string, null>;
}

test('every metric of the rules and the dashboard exists in the server', () => {
  const rules = parse(read('prometheus-rules.yml')) as {
    groups: { rules: { alert: string; expr: string; annotations: { summary: string } }[] }[];
  };
  const dashboard = JSON.parse(read('grafana-dashboard.json')) as {
    panels: { id: number; targets: { expr: string }[] }[];
  };
  const alerts = rules.groups.flatMap((group) => group.rules);
  const expressions = [
    ...alerts.map(({ expr }) => expr),
    ...dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
  ];
  const names = new Set(
    expressions
      .flatMap((expr) => expr.match(/isotherm_[a-z_]+/g) ?? [])
      .map((name) => name.replace(/_bucket$/, '')),
  );
  expect(names.size).toBeGreaterThan(8);
  expect([...names].filter((name) => !sources.includes(`'${name}'`))).toEqual([]);
  expect(alerts.every(({ alert, annotations }) => alert && annotations.summary)).toBe(true);
  expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
});

test('every setting in the files for operation is one of the program', () => {
  const given = readdirSync(join(ROOT, 'deploy')).flatMap(
    (name) => read(name).match(/^\s*(?:Environment=|ENV )?(ISOTHERM_[A-Z_]+)(?=[:=])/gm) ?? [],
  );
  const names = new Set(given.map((line) => line.replace(/^\s*(Environment=|ENV )?/, '')));
  // Of Caddy.
  names.delete('ISOTHERM_HOST');
  expect(names.size).toBeGreaterThan(4);
  expect([...names].filter((name) => !sources.includes(name))).toEqual([]);
});

test('files and volumes that the compose files name exist', () => {
  const base = parse(read('compose.yml')) as Compose;
  const broker = parse(read('compose.broker.yml')) as Compose;
  expect(base.services.isotherm?.read_only).toBe(true);
  const declared = { ...base.volumes, ...broker.volumes };
  const used = [base, broker].flatMap(({ services }) =>
    Object.values(services).flatMap(({ volumes = [] }) =>
      volumes.map((volume) => volume.split(':')[0] as string),
    ),
  );
  // The operator makes the passwords.
  const isMissing = (name: string) =>
    name.startsWith('./')
      ? name !== './mosquitto.passwords' && !existsSync(join(ROOT, 'deploy', name))
      : !(name in declared);
  expect(used.length).toBeGreaterThan(5);
  expect(used.filter(isMissing)).toEqual([]);
});

test('the image does not run as root and reports its health; the unit starts an existing program', () => {
  const dockerfile = read('Dockerfile');
  const instructions = dockerfile.split('\n').filter((line) => /^[A-Z]+ /.test(line));
  const at = (instruction: string) =>
    instructions.findLastIndex((line) => line.startsWith(`${instruction} `));
  expect(instructions[at('USER')]).toBe('USER node');
  expect(at('USER')).toBeGreaterThan(at('RUN'));
  expect(at('HEALTHCHECK')).toBeGreaterThan(0);
  const program = /^ExecStart=\/usr\/bin\/node (\S+)$/m.exec(read('isotherm.service'))?.[1] ?? '';
  expect(existsSync(join(ROOT, program))).toBe(true);
});

test('the access rules of the broker are those of the documentation', () => {
  const documented = /```acl\n([\s\S]*?)```/.exec(readFileSync(join(ROOT, 'docs/operating.md'), 'utf8'))?.[1];
  expect(documented?.replace(/^ +/gm, '').trim()).toBe(read('mosquitto.acl').trim());
});
