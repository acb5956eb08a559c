import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** The server that `npm run dev` uses. In production the server itself delivers the built console. */
const server = process.env.ISOTHERM_SERVER ?? 'http://127.0.0.1:8080';

const modules = (...names: string[]) => new RegExp(`node_modules[\\\\/](${names.join('|')})[\\\\/]`);

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  plugins: [react()],
  // The server replaces this placeholder by a new nonce in every page it sends.
  html: { cspNonce: '__NONCE__' },
  server: {
    host: '127.0.0.1',
    proxy: {
      '/api': { target: server },
      '/files': { target: server },
      '/ingest': { target: server },
      '/ws': { target: server, ws: true },
    },
  },
  build: {
    outDir: fileURLToPath(new URL('../../dist/web', import.meta.url)),
    emptyOutDir: true,
    manifest: true,
    target: 'es2022',
    // A font or image as a data URL would need exceptions in the content security policy.
    assetsInlineLimit: 0,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'react', test: modules('react', 'react-dom', 'scheduler'), priority: 30 },
            {
              name: 'language',
              test: modules('i18next', 'i18next-icu', 'react-i18next', 'intl-messageformat', '@formatjs'),
              priority: 30,
            },
            { name: 'contracts', test: modules('zod', '@noble'), priority: 30 },
            { name: 'chart', test: modules('echarts', 'zrender'), priority: 30 },
            { name: 'console', test: modules('react-router', '@tanstack', 'zustand'), priority: 20 },
          ],
        },
      },
    },
  },
});
