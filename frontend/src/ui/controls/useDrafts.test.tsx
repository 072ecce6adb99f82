import { fireEvent, render, screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { ApiProblem } from '@/api/problem'
import { DraftConflict, DraftFields } from './DraftFields'
import { type FieldSpec, useDrafts } from './useDrafts'

type Note = { readonly title: string; readonly text: string; readonly revision: number }
type Change = Partial<Pick<Note, 'title' | 'text'>>

const FIELDS: readonly FieldSpec<'title' | 'text', Note, Change>[] = [
  {
    name: 'title',
    label: 'Title',
    textOf: (note) => note.title,
    changeOf: (title) => ({ title }),
  },
  {
    name: 'text',
    label: 'Text',
    rows: 2,
    textOf: (note) => note.text,
    changeOf: (text) => ({ text }),
    quote: ['Text', 'nothing yet'],
  },
]

function Editor({
  note,
  error = null,
  save,
}: {
  readonly note: Note
  readonly error?: Error | null
  readonly save: (change: Change, revision: number) => void
}) {
  const drafts = useDrafts(FIELDS, note, { error, isPending: false, reset: () => undefined, save })
  return (
    <>
      <DraftConflict drafts={drafts} />
      <DraftFields drafts={drafts} readOnly={false} />
    </>
  )
}

it('saves only what was typed, from the revision that was typed over', () => {
  const save = vi.fn()
  const { rerender } = render(<Editor note={{ title: 'a', text: 'b', revision: 3 }} save={save} />)
  expect(screen.queryByRole('button', { name: 'Save' })).toBeNull()
  fireEvent.change(screen.getByLabelText('Text'), { target: { value: 'mine' } })
  rerender(<Editor note={{ title: 'theirs', text: '', revision: 4 }} save={save} />)
  expect(screen.getByLabelText<HTMLInputElement>('Title').value).toBe('theirs')
  fireEvent.click(screen.getByRole('button', { name: 'Save' }))
  expect(save).toHaveBeenLastCalledWith({ text: 'mine' }, 3, expect.any(Function))
})

it('quotes the saved text in a conflict, and saves over it or takes it', () => {
  const save = vi.fn()
  const error = new ApiProblem(409, 'Conflict', '')
  render(<Editor note={{ title: 'a', text: '', revision: 4 }} error={error} save={save} />)
  fireEvent.change(screen.getByLabelText('Text'), { target: { value: 'mine' } })
  expect(screen.getByRole('alert').textContent).toContain('Text: nothing yet')
  fireEvent.click(screen.getByRole('button', { name: 'Save mine' }))
  expect(save).toHaveBeenLastCalledWith({ text: 'mine' }, 4, expect.any(Function))
  fireEvent.click(screen.getByRole('button', { name: 'Use theirs' }))
  expect(screen.getByLabelText<HTMLTextAreaElement>('Text').value).toBe('')
})
