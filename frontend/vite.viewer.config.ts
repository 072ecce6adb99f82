/** Builds the viewer of report files: one self-contained script, dist/report-viewer.js. */
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

export default defineConfig({
  resolve: { alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) } },
  publicDir: false,
  build: {
    target: 'es2022',
    emptyOutDir: false,
    lib: {
      entry: fileURLToPath(new URL('./src/features/report/viewer/main.ts', import.meta.url)),
      formats: ['iife'],
      name: 'pileupReport',
      fileName: () => 'report-viewer.js',
    },
  },
})
