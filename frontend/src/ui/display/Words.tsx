/** A text that may be broken inside of long words where a reader would break it. */
import { Fragment } from 'react'
import { wordsOf } from '@/format'

export function Words({ text }: { readonly text: string }) {
  return wordsOf(text).map((word, at) => (
    <Fragment key={at}>
      {at > 0 && <wbr />}
      {word}
    </Fragment>
  ))
}
