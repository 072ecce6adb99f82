import { describe, expect, it } from 'vitest'
import {
  csv,
  escapeXml,
  fileStem,
  plainColour,
  svgDocument,
  svgOfElement,
  withTokens,
} from './exportSvg'

describe('csv', () => {
  it('quotes what needs it and leaves the unknown empty', () => {
    expect(
      csv({
        columns: ['time', 'value'],
        rows: [
          ['a,"b"', null],
          ['line\nbreak', 1.5],
        ],
      }),
    ).toBe('time,value\r\n"a,""b""",\r\n"line\nbreak",1.5\r\n')
  })

  it('keeps a spreadsheet from running a query text as a formula, and numbers as numbers', () => {
    expect(csv({ columns: ['q', 'n'], rows: [['=HYPERLINK("x")', -3]] })).toBe(
      'q,n\r\n"\'=HYPERLINK(""x"")",-3\r\n',
    )
  })
})

describe('SVG', () => {
  it('turns mixed colours into ones that drawing programs know', () => {
    expect(plainColour('color(srgb 0.1 0.2 0.3 / 0.5)')).toBe('rgba(26, 51, 77, 0.5)')
    expect(plainColour('color(srgb 1 0 0)')).toBe('rgb(255, 0, 0)')
    expect(plainColour('rgb(1, 2, 3)')).toBe('rgb(1, 2, 3)')
  })

  it('writes the values of the tokens in', () => {
    const styles = (name: string) => ({ '--waiting': '#b57600' })[name] ?? ''
    expect(withTokens('<path fill="var(--waiting)" stroke="var(--none)"/>', styles)).toBe(
      '<path fill="#b57600" stroke="var(--none)"/>',
    )
  })

  it('is well formed whatever the title holds', () => {
    const svg = svgDocument('<g/>', {
      width: 10.2,
      height: 20,
      title: '<b>&"\u0000',
      background: '#fff',
    })
    const parsed = new DOMParser().parseFromString(svg, 'image/svg+xml')
    expect(parsed.querySelector('parsererror')).toBeNull()
    expect(parsed.querySelector('title')?.textContent).toBe('<b>&"')
    expect(parsed.documentElement.getAttribute('width')).toBe('11')
    expect(escapeXml('a\u0007b')).toBe('ab')
  })

  it('carries the computed style of a drawn element', () => {
    const host = document.createElement('div')
    host.innerHTML = '<svg><rect class="x" style="fill: rgb(1, 2, 3)" width="3" height="4"/></svg>'
    document.body.append(host)
    const element = host.querySelector('svg')
    const svg = element ? svgOfElement(element, { title: 't' }) : ''
    expect(svg).toContain('fill="rgb(1, 2, 3)"')
    expect(svg).not.toContain('class=')
    host.remove()
  })
})

it('names files plainly', () => {
  expect(fileStem('Ad clicks: stall!', 'timeline')).toBe('ad-clicks-stall-timeline')
  expect(fileStem('ⅷ ', '日本')).toBe('viii')
  expect(fileStem('…')).toBe('pileup')
})
