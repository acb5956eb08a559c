/** The order matters, because the User-Agent of each browser also names its predecessors. */
const BROWSERS: readonly [string, RegExp][] = [
  ['WeChat', /MicroMessenger\/(\d+)/],
  ['Edge', /Edg(?:e|A|iOS)?\/(\d+)/],
  ['Opera', /OPR\/(\d+)/],
  ['Samsung Internet', /SamsungBrowser\/(\d+)/],
  ['Firefox', /(?:Firefox|FxiOS)\/(\d+)/],
  ['Chrome', /(?:Chrome|CriOS|HeadlessChrome)\/(\d+)/],
  ['Safari', /Version\/(\d+)[\d.]* .*Safari\//],
];
const SYSTEMS: readonly [string, RegExp][] = [
  ['iPadOS', /iPad/],
  ['iOS', /iPhone/],
  ['Android', /Android/],
  ['HarmonyOS', /HarmonyOS|OpenHarmony/],
  ['Windows', /Windows/],
  ['macOS', /Macintosh/],
  ['Linux', /Linux|X11/],
];

/**
 * Returns browser and operating system of a User-Agent, such as `Chrome 140, Windows`; for other programs
 * the first word.
 */
export function clientName(userAgent: string): string {
  const [browser, version] =
    BROWSERS.map(([name, pattern]) => [name, pattern.exec(userAgent)?.[1]] as const).find(
      ([, found]) => found !== undefined,
    ) ?? [];
  const system = SYSTEMS.find(([, pattern]) => pattern.test(userAgent))?.[0];
  if (!browser) return system ?? userAgent.split(/[\s/]/, 1)[0] ?? '';
  return [`${browser} ${version}`, system].filter(Boolean).join(', ');
}
