import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import openapi from './openapi.json'

/**
 * What the engine computes reaches the screen: each field that the API answers with is named somewhere in the UI, or
 * stands in unshown.txt. There a sentence beside the field says the same, an export or a script is who reads it, or it
 * is still open. The list only gets shorter.
 */
const unshown = readFileSync('src/api/unshown.txt', 'utf8').split('\n').filter(Boolean)

function wordsOfTheUI() {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter(
    (name) => /\.tsx?$/.test(name) && !/\.test\.|testing\/|schema\.d\.ts$/.test(name),
  )
  expect(files.length).toBeGreaterThan(100)
  return new Set(files.flatMap((name) => readFileSync(join('src', name), 'utf8').match(/\w+/g)))
}

function fields() {
  const found = new Map<string, string[]>()
  const schemas: Record<string, { properties?: object }> = openapi.components.schemas
  for (const [type, { properties }] of Object.entries(schemas))
    if (!type.endsWith('ValidationError'))
      for (const name of Object.keys(properties ?? {}))
        found.set(name, [...(found.get(name) ?? []), type])
  return found
}

test('each field of an answer is named in the UI', () => {
  const words = wordsOfTheUI()
  const every = fields()
  const without = [...every].filter(([name]) => !words.has(name)).map(([name]) => name)
  expect(every.size).toBeGreaterThan(500)
  expect(without.filter((name) => !unshown.includes(name))).toEqual([])
  expect(unshown.filter((name) => !without.includes(name))).toEqual([]) // it is shown now: take the line out
})
