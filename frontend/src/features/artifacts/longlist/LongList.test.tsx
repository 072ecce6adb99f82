import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { LongList } from './LongList'
import { MAX_PX } from './scrollScale'

const ROW_PX = 20
const MANY = MAX_PX // 20 times as high as a list may be

function open(count: number, row: number | null = null) {
  const onSeen = vi.fn()
  const target = row === null ? null : { row }
  const list = (to: typeof target) => (
    <LongList
      count={count}
      rowPx={ROW_PX}
      row={(index, style) => (
        <p key={index} style={style}>
          row {index}
        </p>
      )}
      target={to}
      onSeen={onSeen}
      label="Lines"
      className=""
    />
  )
  const { rerender } = render(list(target))
  const first = () => Number(screen.getAllByText(/^row /)[0]?.textContent.slice(4))
  return {
    first,
    shows: (at: number) => screen.queryByText(`row ${at}`) !== null,
    go: (to: number) => rerender(list({ row: to })),
    again: () => rerender(list(target)),
    press: (key: string) => fireEvent.keyDown(screen.getByLabelText('Lines'), { key }),
    onSeen,
  }
}

afterEach(cleanup)

describe('a list that is higher than the browser can scroll', () => {
  it('moves with the keyboard: by a row, by a screen, to both ends', () => {
    const list = open(MANY)
    expect(list.shows(0)).toBe(true)
    list.press('End')
    expect(list.shows(MANY - 1)).toBe(true)
    expect(list.shows(0)).toBe(false)
    list.press('Home')
    expect(list.first()).toBe(0)
    list.press('PageDown')
    const page = list.first()
    expect(page).toBeGreaterThan(10)
    expect(page).toBeLessThan(600 / ROW_PX)
    list.press('PageUp')
    expect(list.first()).toBe(0)
    for (let step = 0; step < 12; step += 1) list.press('ArrowDown')
    const down = list.first()
    expect(down).toBeGreaterThan(0)
    expect(down).toBeLessThanOrEqual(12)
    list.press('ArrowUp')
    expect(list.first()).toBe(down - 1)
    list.press('a')
    expect(list.first()).toBe(down - 1)
  })

  it('goes to a row once, and leaves who scrolled away alone', () => {
    const list = open(MANY, 5000)
    expect(list.shows(5000)).toBe(true)
    list.press('Home')
    list.again()
    expect(list.shows(5000)).toBe(false)
    list.go(9000)
    expect(list.shows(9000)).toBe(true)
    list.go(9001) // it is in sight
    expect(list.shows(9000)).toBe(true)
    expect(list.onSeen).toHaveBeenLastCalledWith(expect.any(Number), expect.any(Number))
  })
})

it('a short list leaves its keys to the browser', () => {
  const list = open(10)
  expect(list.press('End')).toBe(true)
  expect(list.shows(0)).toBe(true)
  expect(list.shows(9)).toBe(true)
})
