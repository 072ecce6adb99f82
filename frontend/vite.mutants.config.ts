/** Serves one file with one place changed, for mutants.mjs, which says which in `MUTANT`. */
import { mergeConfig } from 'vitest/config'
import config from './vite.config'

interface Mutant {
  file: string
  start: number
  end: number
  instead: string
}

const mutant = JSON.parse(process.env['MUTANT'] ?? 'null') as Mutant | null
const transform = (code: string, id: string) =>
  mutant && id === mutant.file
    ? code.slice(0, mutant.start) + mutant.instead + code.slice(mutant.end)
    : null

export default mergeConfig({ plugins: [{ name: 'mutant', enforce: 'pre', transform }] }, config)
