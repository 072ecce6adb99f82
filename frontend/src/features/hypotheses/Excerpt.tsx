/** The raw lines of a pin; long ones scroll, also by the keyboard. */
export function Excerpt({ text }: { readonly text: string }) {
  return (
    <pre className="excerpt" role="group" aria-label="Raw lines" tabIndex={0}>
      {text}
    </pre>
  )
}
