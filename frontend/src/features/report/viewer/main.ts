/** The viewer inside a report file: one script, no framework, nothing loaded, nothing sent. */
import type { ReportData } from './data'
import { showGraph } from './GraphView'
import { showLanes } from './LanesView'

function start() {
  const element = document.getElementById('pileup-figures')
  if (!element?.textContent) return
  const data = JSON.parse(element.textContent) as ReportData
  for (const figure of document.querySelectorAll<HTMLElement>('figure[data-figure]')) {
    const place = figure.querySelector<HTMLElement>('.drawing')
    const drawing = data.figures[figure.dataset['figure'] ?? '']
    if (!place || !drawing) continue
    if (drawing.type === 'lanes') showLanes(place, drawing, data.zone)
    else if (drawing.type === 'graph') showGraph(place, drawing)
  }
}

start()
