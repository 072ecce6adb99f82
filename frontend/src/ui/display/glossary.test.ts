import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { CLASSES, TERMS } from './glossary'

const DATA = '../backend/src/pileup/knowledge/data/wait_classes.yaml'

it('explains every class of session time', () => {
  const ids = [...readFileSync(DATA, 'utf8').matchAll(/^- \{id: (\w+),/gm)].map(([, id]) => id)
  expect(ids.length).toBeGreaterThan(5)
  expect(Object.keys(CLASSES).toSorted()).toEqual(ids.toSorted())
})

it('explains in one or two sentences', () => {
  for (const text of [...Object.values(TERMS), ...Object.values(CLASSES)]) {
    expect(text).toMatch(/^[A-Z].*[.)]$/)
    expect(text.length).toBeLessThan(160)
  }
})
