/**
 * Unsaved edits of several fields of a record that others may change meanwhile: only edited fields are
 * saved, and a save by somebody else in between is a conflict that shows both texts.
 */
import { useState } from 'react'
import { ApiProblem } from '@/api/problem'

/** A field that is edited as text: how to read its text and which change it makes. */
export type FieldSpec<Name extends string, Item, Change> = {
  readonly name: Name
  readonly label: string
  readonly hint?: string
  readonly rows?: number
  readonly textOf: (item: Item) => string
  readonly changeOf: (text: string) => Change
  /** How a conflict introduces the saved text, and what it shows for none. */
  readonly quote?: readonly [introduction: string, none: string]
}

/** The TanStack Query mutation that saves. */
type Saving<Change> = {
  readonly error: Error | null
  readonly isPending: boolean
  readonly reset: () => void
  readonly save: (change: Change, fromRevision: number, onSaved: () => void) => void
}

export function useDrafts<
  Name extends string,
  Item extends { revision: number },
  Change extends object,
>(specs: readonly FieldSpec<Name, Item, Change>[], item: Item, saving: Saving<Change>) {
  const [typed, setTyped] = useState<Partial<Record<Name, string>>>({})
  // The revision that the draft is based on: a later save by somebody else is a conflict.
  const [revision, setRevision] = useState(item.revision)
  const fields = specs.map((spec) => {
    const saved = spec.textOf(item)
    const text = typed[spec.name] ?? saved
    return { spec, text, saved, isChanged: text !== saved }
  })
  const changed = fields.filter((field) => field.isChanged)
  const discard = () => {
    setTyped({})
    saving.reset()
  }
  const saveFrom = (from: number) =>
    saving.save(
      Object.assign({}, ...changed.map(({ spec, text }) => spec.changeOf(text))) as Change,
      from,
      discard,
    )
  return {
    fields,
    isChanged: changed.length > 0,
    isSaving: saving.isPending,
    isConflict: saving.error instanceof ApiProblem && saving.error.isConflict,
    /** A failure other than a conflict. */
    failure: saving.error instanceof ApiProblem && saving.error.isConflict ? null : saving.error,
    type: (name: Name, text: string) => {
      if (changed.length === 0) setRevision(item.revision)
      setTyped((before) => ({ ...before, [name]: text }))
    },
    save: () => saveFrom(revision),
    saveOverTheirs: () => saveFrom(item.revision),
    discard,
  }
}
