import { expect, it } from 'vitest'
import { safeNext } from './SigninScreen'

it.each([
  ['/incidents/1/waits?at=2', '/incidents/1/waits?at=2'],
  [null, '/'],
  ['//evil.example', '/'],
  ['/\\evil.example', '/'],
  ['https://evil.example', '/'],
  ['/sign-in?link=1', '/'],
])('after sign-in %s leads to %s', (next, to) => expect(safeNext(next)).toBe(to))
