/** Builds the UI into dist/ and, in development, passes /api on to the running server. */
import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vitest/config'
import { compressed } from './compressed.mjs'
import { cascadeLayers } from './css-layers.mjs'

const api = process.env['PILEUP_API'] ?? 'http://127.0.0.1:8400'

/** Editors, and the library below shared texts, stay in files of their own: they load with the first text. */
const isLight = (id: string) => !/codemirror|@lezer|yjs|y-protocols|lib0|ui\/text|liveText/.test(id)

export default defineConfig({
  plugins: [react(), compressed()],
  resolve: { alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) } },
  // Nothing inlined: the content security policy refuses fonts from data: addresses.
  build: {
    target: 'es2022',
    sourcemap: false,
    chunkSizeWarningLimit: 700,
    assetsInlineLimit: 0,
    rolldownOptions: {
      output: {
        codeSplitting: {
          // What several screens share is one file: a browser asks for six at a time over HTTP/1.1.
          groups: [{ name: 'shared', minShareCount: 3, test: isLight }],
        },
      },
    },
    license: { fileName: 'licenses.md' }, // of the libraries in it: a wheel or an image passes them on
  },
  css: { postcss: { plugins: [cascadeLayers()] } },
  server: { proxy: { '/api': { target: api, changeOrigin: false } } },
  test: {
    environment: 'jsdom',
    include: ['src/**/*.test.{ts,tsx}'],
    setupFiles: ['src/testing/setup.ts'],
    // One process per worker instead of one per file: a third of the processor time.
    pool: 'vmForks',
    maxWorkers: 2,
    testTimeout: 30_000,
  },
})
