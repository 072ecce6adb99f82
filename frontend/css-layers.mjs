/**
 * Puts every stylesheet into the cascade layer of its folder, in one order: a screen adapts the controls,
 * whatever the specificity and the order in which the files load. Used by vite.config.ts and css-owners.mjs.
 */
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import postcss from 'postcss'

const SOURCES = fileURLToPath(new URL('./src', import.meta.url))

/** From the weakest to the strongest: the beginning of a file's path, and its layer. */
const FOLDERS = [
  ['ui/styles/tokens.css', 'tokens'],
  ['ui/styles/base.css', 'base'],
  ['ui/', 'ui'],
  ['app/', 'app'],
  ['features/', 'features'],
]
const ORDER = FOLDERS.map(([, layer]) => layer).join(', ')

/** The layer of a stylesheet, by its path below src/; undefined: none is declared for its folder. */
export const layerOf = (file) => FOLDERS.find(([start]) => file.startsWith(start))?.[1]

/** CodeMirror's own styles are in no layer, so rules about its elements are in none either. */
const isOfEditor = (node) => node.type === 'rule' && node.selector.includes('.cm-')

/** A postcss plugin; stylesheets of packages stay as they are. */
export function cascadeLayers() {
  return {
    postcssPlugin: 'cascade-layers',
    Once(root) {
      const layer = layerOf(relative(SOURCES, root.source?.input.file ?? '').replaceAll('\\', '/'))
      if (!layer) return
      const wrapped = postcss.atRule({ name: 'layer', params: layer })
      wrapped.append(root.nodes.filter((node) => !isOfEditor(node)))
      root.prepend(postcss.atRule({ name: 'layer', params: ORDER }), wrapped)
    },
  }
}
