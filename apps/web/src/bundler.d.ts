/** What the bundler understands: files by their address. */
declare module '*?url' {
  const url: string;
  export default url;
}

interface ImportMeta {
  /** Files that fit a pattern, by path. */
  glob<T>(pattern: string): Record<string, () => Promise<T>>;
  glob<T>(pattern: string, options: { import: 'default'; eager: true }): Record<string, T>;
  glob<T>(pattern: string, options: { query: '?url'; import: 'default'; eager: true }): Record<string, T>;
}
