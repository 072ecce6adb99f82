/**
 * A search field whose value lives elsewhere, mostly in the address, which updates a moment later. While
 * focused it shows the typed text, so that fast typing is not lost.
 */
import type { InputHTMLAttributes, Ref } from 'react'
import { useDraft } from './useDraft'

type Props = Omit<InputHTMLAttributes<HTMLInputElement>, 'type' | 'value' | 'onChange'> & {
  readonly value: string
  readonly onSearch: (words: string) => void
  readonly ref?: Ref<HTMLInputElement>
}

export function SearchInput({ value, onSearch, ...rest }: Props) {
  const draft = useDraft(value)
  return (
    <input
      {...rest}
      type="search"
      value={draft.shown}
      onChange={(event) => {
        draft.type(event.target.value)
        onSearch(event.target.value)
      }}
      onBlur={draft.drop}
    />
  )
}
