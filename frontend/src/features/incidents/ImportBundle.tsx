/** A bundle of another installation becomes an incident here. */
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
        title="One zip that Pileup exported: artifacts, hypotheses, report"
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
