/**
 * The "Export" menu of a view: SVG and PNG of the drawing, CSV of its rows. Pass only what the view has;
 * the content is computed when the user selects an item, so a closed menu costs nothing.
 */
import { useState } from 'react'
import { asProblem } from '@/api/problem'
import {
  csv,
  download,
  fileStem,
  follow,
  markdown as inMarkdown,
  pngOf,
  type Rows,
} from '@/charts/exportSvg'
import { DownloadDialog } from '@/ui/panels/DownloadDialog'
import { Button } from './Button'
import { DownIcon } from './icons'
import { Menu, MenuItem } from './Menu'

type Kind = 'svg' | 'png' | 'csv' | 'md'

export function ExportMenu({
  name,
  svg,
  rows,
  csvFrom,
  markdown = false,
  disabled = false,
}: {
  /** File name: "timeline", or the title of the incident and "timeline". */
  readonly name: string | readonly string[]
  /** A whole SVG document (charts/exportSvg: svgDocument, svgOfElement). */
  readonly svg?: () => string | Promise<string>
  readonly rows?: () => Rows | Promise<Rows>
  /** Address of the CSV of all rows, when `rows` is only one page. */
  readonly csvFrom?: string
  /** Also offer the rows as a Markdown table, for tables that a report may quote. */
  readonly markdown?: boolean
  readonly disabled?: boolean
}) {
  const [busy, setBusy] = useState(false)
  const [redacting, setRedacting] = useState(false)
  const [failed, setFailed] = useState('')
  const stem = fileStem(...(typeof name === 'string' ? [name] : name))
  const save = async (kind: Kind) => {
    setBusy(true)
    setFailed('')
    try {
      download(`${stem}.${kind}`, await made(kind, svg, rows))
    } catch (error) {
      setFailed(`The ${kind.toUpperCase()} could not be created: ${asProblem(error).detail}`)
    } finally {
      setBusy(false)
    }
  }
  return (
    <>
      <Menu
        trigger={
          <Button size="small" busy={busy} disabled={disabled}>
            Export
            <DownIcon size={12} />
          </Button>
        }
      >
        {svg && (
          <MenuItem hint="drawing" onSelect={() => void save('svg')}>
            SVG
          </MenuItem>
        )}
        {svg && (
          <MenuItem hint="picture" onSelect={() => void save('png')}>
            PNG
          </MenuItem>
        )}
        {(rows ?? csvFrom) && (
          <MenuItem
            hint={csvFrom ? 'all rows' : 'rows'}
            onSelect={() => (csvFrom ? follow(csvFrom, `${stem}.csv`) : void save('csv'))}
          >
            CSV
          </MenuItem>
        )}
        {csvFrom && (
          <MenuItem hint="values replaced" onSelect={() => setRedacting(true)}>
            Redacted CSV…
          </MenuItem>
        )}
        {rows && markdown && (
          <MenuItem hint="table" onSelect={() => void save('md')}>
            Markdown
          </MenuItem>
        )}
      </Menu>
      {csvFrom && redacting && (
        <DownloadDialog
          title="Download a redacted CSV"
          url={csvFrom}
          name={`${stem}-redacted.csv`}
          plain="Only passwords are removed: the file contains queries, host names and users."
          onClose={() => setRedacting(false)}
        />
      )}
      {failed && (
        <span role="alert" className="export-failed">
          {failed}
        </span>
      )}
    </>
  )
}

async function made(
  kind: Kind,
  svg: (() => string | Promise<string>) | undefined,
  rows: (() => Rows | Promise<Rows>) | undefined,
): Promise<Blob> {
  if (kind === 'csv') {
    // The byte order mark makes Excel read the text as UTF-8.
    const text = rows ? csv(await rows()) : ''
    return new Blob(['\ufeff', text], { type: 'text/csv;charset=utf-8' })
  }
  if (kind === 'md') {
    return new Blob([rows ? inMarkdown(await rows()) : ''], { type: 'text/markdown;charset=utf-8' })
  }
  const drawing = svg ? await svg() : ''
  return kind === 'svg'
    ? new Blob([drawing], { type: 'image/svg+xml;charset=utf-8' })
    : pngOf(drawing)
}
