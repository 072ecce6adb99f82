/** The wait graph of a report file: a click shows the chain and the fields; the tree says the same. */
import type { GraphDrawing, GraphNode } from './data'
import { button, html } from './dom'
import { chain, tree } from './graph'

/** Brings the static picture to life; it stays the picture. */
export function showGraph(place: HTMLElement, drawing: GraphDrawing) {
  const picture = place.querySelector('svg')
  if (!picture) return
  const byId = new Map(drawing.nodes.map((node) => [node.id, node]))
  const boxes = new Map<string, SVGGElement>()
  for (const box of picture.querySelectorAll<SVGGElement>('[data-node]')) {
    boxes.set(box.dataset['node'] ?? '', box)
  }
  const rows = new Map<string, HTMLElement>()
  const inspector = html('div', { class: 'pv-inspect', 'aria-live': 'polite' })
  const list = html('ol', { class: 'pv-tree', hidden: '' })
  let selected: string | null = null

  function select(id: string | null) {
    selected = id === selected ? null : id
    const lit = selected === null ? null : chain(drawing, selected)
    for (const [node, box] of boxes) {
      box.classList.toggle('on', node === selected)
      box.classList.toggle('pv-dim', lit !== null && !lit.has(node))
      box.setAttribute('aria-pressed', String(node === selected))
    }
    for (const edge of picture?.querySelectorAll<SVGPathElement>('[data-source]') ?? []) {
      const { source = '', target = '' } = edge.dataset
      edge.classList.toggle('pv-dim', lit !== null && !(lit.has(source) && lit.has(target)))
    }
    for (const [node, row] of rows) row.setAttribute('aria-pressed', String(node === selected))
    inspect(selected === null ? null : (byId.get(selected) ?? null))
  }

  function inspect(node: GraphNode | null) {
    if (!node) {
      inspector.replaceChildren('Select a box to see what is known about it.')
      return
    }
    const fields: [string, string][] = [['kind', node.kind.replaceAll('_', ' ')]]
    if (node.blocks_total) fields.push(['blocks', `${node.blocks_total} threads`])
    if ((node.members ?? 1) > 1) fields.push(['members', String(node.members)])
    if (node.inferred) fields.push(['inferred', 'yes: the artifacts do not name it'])
    for (const [name, value] of node.detail ?? []) fields.push([name, value])
    const shown = html('dl', {})
    for (const [name, value] of fields) {
      shown.append(html('dt', {}, name), html('dd', {}, value))
    }
    inspector.replaceChildren(html('h4', {}, node.label), shown)
  }

  for (const [id, box] of boxes) {
    box.setAttribute('tabindex', '0')
    box.setAttribute('role', 'button')
    box.setAttribute('aria-label', byId.get(id)?.label ?? id)
    box.addEventListener('click', () => select(id))
    box.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' && event.key !== ' ') return
      event.preventDefault()
      select(id)
    })
  }
  for (const { node, depth } of tree(drawing)) {
    const blocks = node.blocks_total ? ` · blocks ${node.blocks_total}` : ''
    const row = button(node.label + blocks, node.label, () => select(node.id))
    row.style.marginLeft = `${Math.min(depth, 12) * 18}px`
    rows.set(node.id, row)
    list.append(html('li', {}, row))
  }
  const toggle = button('As a tree', 'Show the same graph as a tree', () => {
    list.hidden = !list.hidden
    picture.style.display = list.hidden ? '' : 'none'
    toggle.setAttribute('aria-pressed', String(!list.hidden))
    toggle.textContent = list.hidden ? 'As a tree' : 'As a graph'
  })
  const bar = html('div', { class: 'pv-bar' }, toggle, drawing.headline)
  picture.removeAttribute('role') // its boxes are buttons now
  const view = html('div', { class: 'pv', 'data-view': 'graph' }, bar)
  view.append(picture, list, inspector)
  place.replaceChildren(view)
  select(null)
}
