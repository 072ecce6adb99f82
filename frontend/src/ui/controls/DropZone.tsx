/** Buttons that choose files and folders, and the overlay while files are dragged over the page. */
import { useRef } from 'react'
import type { PathFile } from '@/state/uploads'
import { Button } from './Button'
import { filesOfInput } from './drop'
import { FolderIcon, UploadIcon } from './icons'
import '../styles/parts.css'

export function FileChoosers({ onFiles }: { readonly onFiles: (files: PathFile[]) => void }) {
  const files = useRef<HTMLInputElement>(null)
  const folder = useRef<HTMLInputElement>(null)
  const take = (input: HTMLInputElement) => {
    const chosen = filesOfInput(input.files)
    input.value = '' // so that the same file can be chosen again
    if (chosen.length) onFiles(chosen)
  }
  return (
    <>
      <input
        ref={files}
        type="file"
        multiple
        hidden
        aria-label="Files to upload"
        data-testid="choose-files"
        onChange={(event) => take(event.currentTarget)}
      />
      <input
        ref={folder}
        type="file"
        multiple
        hidden
        aria-label="Folder to upload"
        data-testid="choose-folder"
        {...{ webkitdirectory: '' }}
        onChange={(event) => take(event.currentTarget)}
      />
      <Button icon={<UploadIcon size={14} />} onClick={() => files.current?.click()}>
        Choose files
      </Button>
      <Button icon={<FolderIcon size={14} />} onClick={() => folder.current?.click()}>
        Choose a folder
      </Button>
    </>
  )
}

export function DropVeil({ text }: { readonly text: string }) {
  return (
    <div className="drop-veil" role="status">
      <div className="drop-veil-text">{text}</div>
    </div>
  )
}
