/** Lanes that are not series, whole: of marks and strips with rivals, ties and missing values. */
import { expect, test } from 'vitest'
import type { Marks, Strips } from './documents'
import { eventLanes, heatLanes, noteLanes, snapshotLanes, spanLanes } from './markLanes'

const at = (second: number) => `2026-11-20T22:20:${String(second).padStart(2, '0')}Z`
const snapshot = (kind: string, index: number, second: number, waiters: number) => ({
  ...{ artifact: 'a', kind, index, time: at(second) },
  ...{ waiters, lock_waits: index, records: {}, counts: { semaphore_wait: waiters } },
})
const marks = {
  range: { start: at(0), end: at(50) },
  snapshots: [
    snapshot('innodb_status', 0, 10, 0),
    snapshot('innodb_status', 1, 20, 4),
    snapshot('stacks', 0, 11, 1),
    snapshot('stacks', 1, 21, 9),
    snapshot('other', 0, 5, 3),
  ],
  events: [
    { kind: 'trigger', time: at(1), severity: null, message: 'DDL', artifact: 'a', line_first: 7 },
    {
      kind: 'config',
      time: at(2),
      severity: 'system',
      message: 'SET',
      artifact: 'a',
      line_first: 0,
    },
    { kind: 'config.file', time: at(3), severity: 'warning', message: 'cnf', artifact: null },
    { kind: 'log', time: at(4), severity: 'error', message: 'E', artifact: 'b', line_first: 2 },
    { kind: 'crash', time: at(5), severity: null, message: 'signal 11', artifact: 'b' },
    { kind: 'log', time: at(6), severity: 'warning', message: 'W', artifact: 'b', line_first: 4 },
    { kind: 'log', time: null, severity: 'error', message: 'no time', artifact: 'b' },
  ],
  stalls: [
    { kind: 'stall', onset: at(10), end: at(20), host: 'db-1', peak_waiters: 12, duration_s: 10 },
    { kind: 'stall', onset: at(15), end: null, host: null, peak_waiters: 0, duration_s: 5 },
    { kind: 'false_positive', onset: at(30), end: at(31), host: null, peak_waiters: null },
    { kind: 'recovery_burst', onset: at(40), end: at(41), host: 'db-2', peak_waiters: null },
  ],
  annotations: [
    { id: 'z', start: at(30), end: null, created_at: at(5), text: 'later', author: 'ann' },
    { id: 'a', start: at(10), end: at(20), created_at: at(6), text: 'earlier', author: null },
    { id: 'm', start: at(12), end: at(13), created_at: at(7), text: 'within', author: 'bob' },
  ],
} as unknown as Marks
const heat = (kind: string, label: string, peak: number, host: string | null, detail = '') => ({
  ...{ kind, label, peak, host, detail },
  cells: [
    [1000, peak],
    [2000, 0],
  ],
})
const transaction = (
  id: string,
  waited: boolean,
  query: string | null,
  session: number | null,
) => ({
  ...{ trx_id: id, session_id: session, start: at(1), end: waited ? null : at(9), query },
  ...{ state: 'ACTIVE', waited, host: 'db-1', artifact: 'a', line_first: 3 },
})
const strips = {
  heat: [
    heat('latch', 'btr0cur.cc:1', 3, null),
    heat('latch', 'row0sel.cc:2', 8, 'db-1', 'created buf0buf.cc:1'),
    heat('lock', 'app.t PRIMARY', 5, null),
    heat('state', 'update', 0, null),
  ],
  threads: [
    { artifact: 'a', index: 0, threads: 40 },
    { artifact: 'a', index: 1, threads: 1 },
  ],
  blocking: [
    { holder: 'trx 1', blocks_total: 3, inferred: false, start: at(10), end: at(20) },
    { holder: 'trx 2', blocks_total: 1, inferred: true, start: at(12), end: null },
  ],
  transactions: [
    transaction('9', false, null, null),
    transaction('8', true, 'SELECT 1', 390),
    transaction('of session 6', false, null, 6),
  ],
  experiments: [
    {
      ...{ id: 'e2', number: 2, title: 'open', start: at(5), end: null },
      ...{ started_at: at(30), finished_at: at(40) },
    },
    {
      ...{ id: 'e1', number: 1, title: 'done', start: at(2), end: at(4) },
      ...{ started_at: at(31), finished_at: null },
    },
  ],
} as unknown as Strips
const nothing = { ...marks, snapshots: [], events: [], stalls: [], annotations: [] } as Marks

test('heat rows are scaled by the most of their kind', () => {
  expect(heatLanes(strips)).toMatchSnapshot()
  expect(heatLanes(undefined)).toEqual([])
})

test('snapshots are as tall as their threads or waiters', () => {
  expect(snapshotLanes(marks, strips)).toMatchSnapshot()
  expect(snapshotLanes(nothing, undefined)).toEqual([])
})

test('events have a lane each for triggers, configuration and the rest', () => {
  expect(eventLanes(marks)).toMatchSnapshot()
  expect(eventLanes(nothing)).toEqual([])
})

test.each(['happened', 'recorded'] as const)('spans and notes by the time they %s', (times) => {
  expect(spanLanes(marks, strips, times)).toMatchSnapshot()
  expect(noteLanes(marks, times)).toMatchSnapshot()
  expect(spanLanes(nothing, undefined, times)).toEqual([[], []])
  expect(noteLanes(nothing, times)).toEqual([])
})
