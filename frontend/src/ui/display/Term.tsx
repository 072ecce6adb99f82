/** A technical term that explains itself: a tooltip by the pointer and by the keyboard. */
import type { ReactNode } from 'react'
import { TERMS, type TermName } from './glossary'
import { Tooltip, useTip } from './Tooltip'
import './term.css'

type Props =
  | { readonly of: TermName; readonly text?: never; readonly children?: ReactNode }
  /** Of data: the explanation, if there is one. */
  | { readonly of?: never; readonly text: string | undefined; readonly children: ReactNode }

export function Term({ of, text, children = of }: Props) {
  const { tip, show, hide } = useTip<string>()
  const explanation = of ? TERMS[of] : text
  if (!explanation) return children
  return (
    <>
      <dfn
        className="term"
        tabIndex={0}
        aria-description={explanation}
        onMouseEnter={(event) => show(explanation, event.currentTarget)}
        onMouseLeave={hide}
        onFocus={(event) => show(explanation, event.currentTarget, 0)}
        onBlur={hide}
      >
        {children}
      </dfn>
      <Tooltip tip={tip} onHide={hide}>
        {(words) => words}
      </Tooltip>
    </>
  )
}
