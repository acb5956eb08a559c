import { spawnSync } from 'node:child_process';
import {
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { homedir, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { brotliDecompressSync, createBrotliDecompress } from 'node:zlib';

export interface Browser {
  executablePath: string;
  /** Environment variables that tell the browser where its libraries and fonts are. */
  environment: Record<string, string>;
}

const LIBRARIES = ['al2023/lib', 'lib'];

/**
 * Returns the Chromium in the npm package @sparticuz/chromium, unpacked once per version into the user's
 * cache. The package's own functions are not used, because they unpack to fixed names in the shared
 * temporary directory and disable web security. Undefined where the package has no binary (only Linux on x64
 * has one).
 */
export async function bundledChromium(): Promise<Browser | undefined> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  const entry = createRequire(import.meta.url).resolve('@sparticuz/chromium');
  const packageFolder = resolve(dirname(entry), '..', '..');
  const { version } = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')) as {
    version: string;
  };
  const folder = join(cacheFolder(), `chromium-${version}`);
  if (!existsSync(folder)) await unpack(join(packageFolder, 'bin'), folder);
  const executablePath = join(folder, 'chromium');
  return { executablePath, environment: { ...libraries(executablePath, folder), ...fonts(folder) } };
}

function cacheFolder(): string {
  const folder = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'isotherm');
  try {
    mkdirSync(folder, { recursive: true });
    return folder;
  } catch {
    return mkdtempSync(join(tmpdir(), 'isotherm-cache-')); // The home folder is read-only.
  }
}

/**
 * Unpacks into another folder and then moves it, so that an interrupted or simultaneous unpacking does no
 * harm.
 */
async function unpack(archives: string, folder: string): Promise<void> {
  const aside = mkdtempSync(`${folder}.`);
  await pipeline(
    createReadStream(join(archives, 'chromium.br')),
    createBrotliDecompress(),
    createWriteStream(join(aside, 'chromium'), { mode: 0o755 }),
  );
  for (const name of ['swiftshader', 'fonts', 'al2023']) {
    const archive = brotliDecompressSync(readFileSync(join(archives, `${name}.tar.br`)));
    const tar = spawnSync('tar', ['-xf', '-', '-C', aside], { input: archive });
    if (tar.status !== 0) throw new Error(`cannot unpack ${name}: ${tar.error ?? tar.stderr}`);
  }
  try {
    renameSync(aside, folder);
  } catch (error) {
    rmSync(aside, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
}

/**
 * Returns the variables for the package's libraries (NSS, NSPR, expat), which are needed on machines that
 * lack them.
 */
function libraries(executable: string, folder: string): Record<string, string> {
  const linked = spawnSync('ldd', [executable], { encoding: 'utf8' });
  if (linked.status === 0 && !linked.stdout.includes('not found')) return {};
  return { LD_LIBRARY_PATH: LIBRARIES.map((path) => join(folder, path)).join(':') };
}

/** Returns the variables for a font configuration. Without one, Chromium draws no text. */
function fonts(folder: string): Record<string, string> {
  if (existsSync('/etc/fonts/fonts.conf')) return {};
  const file = join(folder, 'fonts.conf');
  writeFileSync(
    file,
    `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig><dir>${join(folder, 'fonts')}</dir>` +
      `<dir>/usr/share/fonts</dir><cachedir>${join(folder, 'font-cache')}</cachedir></fontconfig>`,
  );
  return { FONTCONFIG_FILE: file };
}
