/** CodeMirror on a live text; loaded when the first one is shown. */
import { closeBrackets } from '@codemirror/autocomplete'
import { defaultKeymap } from '@codemirror/commands'
import { markdown } from '@codemirror/lang-markdown'
import { EditorState, type Extension } from '@codemirror/state'
import { drawSelection, EditorView, keymap, placeholder as empty } from '@codemirror/view'
import { useEffectEvent, useLayoutEffect, useRef } from 'react'
import { yCollab, yUndoManagerKeymap } from 'y-codemirror.next'
import type { LiveText } from '@/state/liveText'
import { cspNonce } from '../cspNonce'
import { Cursors } from './liveCursors'

export default function LiveEditor({
  live,
  textKey,
  label,
  readOnly = false,
  placeholder,
  autoFocus = false,
  extensions = [],
  onText,
}: {
  readonly live: LiveText
  readonly textKey: string
  readonly label: string
  readonly readOnly?: boolean
  readonly placeholder?: string
  readonly autoFocus?: boolean
  readonly extensions?: readonly Extension[]
  readonly onText?: (text: string) => void
}) {
  const place = useRef<HTMLDivElement>(null)
  const tell = useEffectEvent((text: string) => onText?.(text))
  const more = useEffectEvent(() => extensions)
  const focus = useEffectEvent(() => autoFocus)
  // Before the browser paints: what is shown until now is never followed by an empty box.
  useLayoutEffect(() => {
    if (!place.current) return
    const cursors = new Cursors(live.doc, textKey)
    const view = new EditorView({
      parent: place.current,
      state: EditorState.create({
        doc: live.text.toString(),
        extensions: [
          keymap.of([...yUndoManagerKeymap, ...defaultKeymap]),
          markdown(),
          closeBrackets(),
          drawSelection(),
          EditorView.lineWrapping,
          EditorView.cspNonce.of(cspNonce ?? ''),
          EditorView.contentAttributes.of({
            'aria-label': label,
            spellcheck: 'true',
            tabindex: '0',
          }),
          EditorState.readOnly.of(readOnly),
          EditorView.editable.of(!readOnly),
          placeholder ? empty(placeholder) : [],
          EditorView.domEventHandlers({ blur: () => cursors.leave() }),
          yCollab(live.text, cursors),
          ...more(),
        ],
      }),
    })
    if (focus()) view.focus()
    const notify = () => tell(live.text.toString())
    live.text.observe(notify)
    notify()
    return () => {
      live.text.unobserve(notify)
      cursors.close()
      view.destroy()
    }
  }, [live, textKey, label, readOnly, placeholder])
  return <div ref={place} className="live-editor" />
}
