/** Module types that the bundler provides: files by their URL. */
declare module '*?url' {
  const url: string;
  export default url;
}

interface ImportMeta {
  /** Modules that match a pattern, by path. */
  glob<T>(pattern: string): Record<string, () => Promise<T>>;
  glob<T>(pattern: string, options: { import: 'default'; eager: true }): Record<string, T>;
  glob<T>(pattern: string, options: { query: '?url'; import: 'default'; eager: true }): Record<string, T>;
  glob(pattern: string, options: { query: '?raw'; import: 'default'; eager: true }): Record<string, string>;
}
