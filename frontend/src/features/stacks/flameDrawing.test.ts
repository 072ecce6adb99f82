/** The flame graph as files: every box, colour, word and row, alone and against another range. */
import { expect, test } from 'vitest'
import { diffColour, flameRows, flameSvg, innermost, stackSvg } from './flameDrawing'
import { treeOf } from '@/charts/flame'
import type { FlameDoc } from './flame'

const box = (name: string, parent: number, total: number, self: number, b = 0) => ({
  ...{ name, parent, total, self, total_b: b, self_b: b ? 1 : 0 },
})
const doc = (against: number | null) =>
  ({
    ...{ event: null, events: [], has_threads: true, pruned: 0, samples: 2, samples_b: against },
    ...{ activity: {}, activity_b: null },
    nodes: [
      box('all', -1, 100, 0, 40),
      box('clone', 0, 90, 0, 40),
      box('do_command<THD>', 1, 60, 2, 10),
      box('row_search_mvcc', 2, 50, 50, 30),
      box('a_name_that_is_much_longer_than_its_box_can_ever_show', 2, 8, 8),
      box('io_handler_thread', 1, 30, 30, 30),
      box('_start', 0, 10, 10),
    ],
  }) as unknown as FlameDoc

test.each([null, 1])('the picture and the rows, against %s samples', (against) => {
  const given = doc(against)
  const tree = treeOf(given.nodes)
  expect(flameSvg(given, tree, 0).replaceAll('><', '>\n<')).toMatchSnapshot()
  expect(flameSvg(given, tree, 99)).toBe(flameSvg(given, tree, tree.nodes.length - 1))
  expect(flameRows(given, tree)).toMatchSnapshot()
})

test('a difference is coloured by its side and its size', () => {
  expect([-1, -0.25, 0, 0.5, 1].map(diffColour)).toMatchSnapshot()
})

test('a stack of a pin has its callers on top, and at most forty frames', () => {
  const frames = Array.from({ length: 41 }, (_, at) => `frame_${at}`)
  expect(stackSvg(['fsync', 'MYSQL_BIN_LOG::sync', '<main>'], 'a & b')).toMatchSnapshot()
  expect(stackSvg(frames, 't')).toBe(stackSvg(frames.slice(0, 40), 't'))
  expect(innermost(undefined, 'alone')).toBe('alone')
})
