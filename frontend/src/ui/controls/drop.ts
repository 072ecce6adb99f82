/** Files and folders from a drop or a file chooser, each with its relative path. */
import { useEffect, useState } from 'react'
import { useLatest } from '@/state/latest'
import type { PathFile } from '@/state/uploads'

/** Collect the dropped files, including those of folders. Call it inside the drop event. */
export async function filesOfDrop(transfer: DataTransfer): Promise<PathFile[]> {
  // The entries must be taken before the first await: the transfer is emptied after the event.
  const entries = [...transfer.items]
    .filter((item) => item.kind === 'file')
    .map((item) => ({ entry: item.webkitGetAsEntry(), file: item.getAsFile() }))
  const files: PathFile[] = []
  for (const { entry, file } of entries) {
    if (entry) await walk(entry, files)
    else if (file) files.push({ file, path: file.name })
  }
  return files
}

/** Collect the files of a chooser; a folder chooser sets webkitRelativePath. */
export function filesOfInput(list: FileList | null): PathFile[] {
  return [...(list ?? [])].map((file) => ({ file, path: file.webkitRelativePath || file.name }))
}

/** Return the name of the common folder, or of the single file. */
export function commonName(files: readonly PathFile[]): string {
  const first = files[0]?.path ?? ''
  const [top = ''] = first.split('/')
  if (first.includes('/') && files.every((item) => item.path.startsWith(`${top}/`))) return top
  return files.length === 1 ? first : `${files.length} files`
}

/** Make the whole window a drop target; return whether something is dragged over it. */
export function useFileDrop(onFiles: (files: PathFile[]) => void, enabled = true): boolean {
  const [over, setOver] = useState(false)
  const handler = useLatest(onFiles)
  useEffect(() => {
    if (!enabled) return
    let depth = 0
    const holdsFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false
    const enter = (event: DragEvent) => {
      if (!holdsFiles(event)) return
      depth += 1
      setOver(true)
    }
    const leave = (event: DragEvent) => {
      if (!holdsFiles(event)) return
      depth = Math.max(0, depth - 1)
      if (depth === 0) setOver(false)
    }
    const hold = (event: DragEvent) => {
      if (holdsFiles(event)) event.preventDefault()
    }
    const drop = (event: DragEvent) => {
      if (!event.dataTransfer || !holdsFiles(event)) return
      event.preventDefault()
      depth = 0
      setOver(false)
      void filesOfDrop(event.dataTransfer).then((files) => files.length && handler.current(files))
    }
    window.addEventListener('dragenter', enter)
    window.addEventListener('dragleave', leave)
    window.addEventListener('dragover', hold)
    window.addEventListener('drop', drop)
    return () => {
      window.removeEventListener('dragenter', enter)
      window.removeEventListener('dragleave', leave)
      window.removeEventListener('dragover', hold)
      window.removeEventListener('drop', drop)
    }
  }, [enabled, handler])
  return over
}

async function walk(entry: FileSystemEntry, files: PathFile[]): Promise<void> {
  const path = entry.fullPath.replace(/^\/+/, '')
  if (isFile(entry)) {
    const file = await new Promise<File>((done, fail) => entry.file(done, fail))
    files.push({ file, path })
  } else if (isFolder(entry)) {
    const reader = entry.createReader()
    // A reader returns some hundred entries at a time and an empty list at the end.
    for (;;) {
      const entries = await new Promise<FileSystemEntry[]>((done, fail) =>
        reader.readEntries(done, fail),
      )
      if (entries.length === 0) break
      for (const child of entries) await walk(child, files)
    }
  }
}

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile
const isFolder = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory
