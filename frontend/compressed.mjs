/**
 * A plugin of Vite: writes each text of dist/ again as .br and .gz, so that the server compresses nothing
 * when it serves the UI. Used by vite.config.ts.
 */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

const TEXTS = new Set(['.js', '.css', '.html', '.svg'])
const LEAST_BYTES = 1000

const encodings = {
  br: (text) =>
    promisify(brotliCompress)(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } }),
  gz: (text) => promisify(gzip)(text, { level: 9 }),
}

export function compressed() {
  let folder = ''
  return {
    name: 'compressed',
    apply: 'build',
    configResolved(config) {
      folder = config.build.outDir
    },
    async closeBundle() {
      const files = await readdir(folder, { recursive: true })
      const texts = files.filter((file) => TEXTS.has(extname(file)))
      await Promise.all(
        texts.map(async (file) => {
          const text = await readFile(join(folder, file))
          if (text.length < LEAST_BYTES) return
          for (const [end, compress] of Object.entries(encodings)) {
            await writeFile(join(folder, `${file}.${end}`), await compress(text))
          }
        }),
      )
    },
  }
}
