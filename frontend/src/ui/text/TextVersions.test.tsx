import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { renderScreen, serve } from '@/testing/render'
import { TextVersions } from './TextVersions'

afterEach(() => vi.unstubAllGlobals())

const version = (id: string, name: string | null, by: string) => ({
  id,
  seq: 4,
  characters: 1234,
  name,
  by_name: by,
  started_at: '2026-01-05T10:00:00Z',
  at: '2026-01-05T10:05:00Z',
})
const base = '/incidents/i1/texts/report%2Fsummary/versions'
const answers = {
  [base]: [version('v2', null, 'Bo'), version('v1', 'First draft', 'Ada')],
  [`${base}/v2`]: { text: 'one\nthree' },
  [`${base}/v1`]: { text: 'one\ntwo' },
  [`PATCH ${base}/v2`]: [],
  [`POST ${base}/v1/restore`]: { seq: 9 },
}

function show(mayWrite: boolean) {
  const closed = vi.fn()
  renderScreen(
    <TextVersions
      incidentId="i1"
      textKey="report/summary"
      label="Summary"
      now={'one\nthree'}
      mayWrite={mayWrite}
      onClose={closed}
    />,
    '/incidents/i1/report',
  )
  return closed
}

describe('earlier texts', () => {
  it('differ from now, and come back', async () => {
    const calls = serve(answers)
    const closed = show(true)
    const user = userEvent.setup()
    const list = await screen.findByRole('list', { name: 'Versions' })
    expect(list.textContent).toContain('1234 characters')
    expect(await screen.findByText('Same as the current text.')).toBeTruthy()
    const restore = screen.getByRole<HTMLButtonElement>('button', { name: 'Restore this version' })
    expect(restore.disabled).toBe(true)
    await user.click(within(list).getByRole('button', { name: /First draft/ }))
    const difference = await screen.findByRole('group', {
      name: 'Difference from the current text',
    })
    expect([...difference.children].map((line) => line.textContent)).toEqual([
      ' one',
      '−then:two',
      '+now:three',
    ])
    await user.click(screen.getByRole('button', { name: 'Restore this version' }))
    await waitFor(() => expect(closed).toHaveBeenCalled())
    expect(calls.find((call) => call.method === 'POST')?.path).toBe(`${base}/v1/restore`)
  })

  it('get names', async () => {
    const calls = serve(answers)
    show(true)
    const user = userEvent.setup()
    await user.click(await screen.findByRole('button', { name: 'Add a name' }))
    await user.type(screen.getByLabelText('Name of the version'), 'Before the review{Enter}')
    await waitFor(() =>
      expect(calls.find((call) => call.method === 'PATCH')?.body).toEqual({
        name: 'Before the review',
      }),
    )
  })

  it('are only looked at by viewers', async () => {
    serve(answers)
    show(false)
    await screen.findByRole('list', { name: 'Versions' })
    expect(screen.queryByRole('button', { name: 'Restore this version' })).toBeNull()
    expect(screen.queryByRole('button', { name: 'Add a name' })).toBeNull()
  })
})
