/**
 * A search whose words stand elsewhere, mostly in the address, which follows a moment later. While
 * it has the keyboard it shows what was typed: nothing typed fast is lost.
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
