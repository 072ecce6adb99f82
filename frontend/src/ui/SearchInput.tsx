/**
 * A search whose words stand elsewhere, mostly in the address, which follows a moment later. While
 * it has the keyboard it shows what was typed: nothing typed fast is lost.
 */
import { type InputHTMLAttributes, type Ref, useState } from 'react'

type Props = Omit<InputHTMLAttributes<HTMLInputElement>, 'type' | 'value' | 'onChange'> & {
  readonly value: string
  readonly onSearch: (words: string) => void
  readonly ref?: Ref<HTMLInputElement>
}

export function SearchInput({ value, onSearch, ...rest }: Props) {
  const [typed, setTyped] = useState<string | null>(null)
  return (
    <input
      {...rest}
      type="search"
      value={typed ?? value}
      onChange={(event) => {
        setTyped(event.target.value)
        onSearch(event.target.value)
      }}
      onBlur={() => setTyped(null)}
    />
  )
}
