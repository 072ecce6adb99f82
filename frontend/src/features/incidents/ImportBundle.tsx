/** The button that imports a bundle of another installation as an incident. */
import { useRef } from 'react'
import { Button } from '@/ui/controls/Button'
import type { useImportBundle } from './queries'

export function ImportBundle({
  mutation,
}: {
  readonly mutation: ReturnType<typeof useImportBundle>
}) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <Button
        busy={mutation.isPending}
        title="A zip exported by Pileup: artifacts, hypotheses, report"
        onClick={() => input.current?.click()}
      >
        Import a bundle
      </Button>
      <input
        ref={input}
        type="file"
        accept=".zip,application/zip"
        hidden
        aria-label="Bundle to import"
        onChange={(event) => {
          const file = event.target.files?.[0]
          event.target.value = ''
          if (file) mutation.mutate(file)
        }}
      />
    </>
  )
}
