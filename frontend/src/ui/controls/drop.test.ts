import { expect, it } from 'vitest'
import { commonName, filesOfDrop } from './drop'

const file = (path: string) => ({
  isFile: true,
  isDirectory: false,
  fullPath: path,
  file: (done: (file: File) => void) => done(new File(['x'], path.split('/').at(-1) ?? '')),
})
/** A reader hands its entries out in batches, as browsers do after a hundred. */
const folder = (path: string, ...batches: unknown[][]) => ({
  isFile: false,
  isDirectory: true,
  fullPath: path,
  createReader: () => {
    const rest = [...batches]
    return { readEntries: (done: (some: unknown[]) => void) => done(rest.shift() ?? []) }
  },
})

it('walks dropped folders to the last batch and keeps the paths', async () => {
  const tree = folder(
    '/pt-stalk',
    [file('/pt-stalk/1-df')],
    [folder('/pt-stalk/gdb', [file('/pt-stalk/gdb/2-gdb')]), file('/pt-stalk/1-top')],
  )
  const items = [
    { kind: 'file', webkitGetAsEntry: () => tree, getAsFile: () => null },
    { kind: 'string', webkitGetAsEntry: () => null, getAsFile: () => null },
    { kind: 'file', webkitGetAsEntry: () => null, getAsFile: () => new File(['x'], 'my.cnf') },
  ]
  const files = await filesOfDrop({ items } as unknown as DataTransfer)
  expect(files.map((item) => item.path)).toEqual([
    'pt-stalk/1-df',
    'pt-stalk/gdb/2-gdb',
    'pt-stalk/1-top',
    'my.cnf',
  ])
})

it('names what was dropped by its folder, its file, or its number', () => {
  const of = (...paths: string[]) =>
    commonName(paths.map((path) => ({ path, file: new File([], 'x') })))
  expect(of('pt-stalk/1-df', 'pt-stalk/gdb/2')).toBe('pt-stalk')
  expect(of('status.txt')).toBe('status.txt')
  expect(of('a/1', 'b/2')).toBe('2 files')
})
