/** The paste box of the page: open or closed, and its text, which stays until it is stored. */
import { Store, useStore } from '@/state/store'

type PasteBox = { readonly open: boolean; readonly text: string }

const box = new Store<PasteBox>({ open: false, text: '' })

export const usePasteBox = () => useStore(box)

/** Open the box; a pasted text replaces the one it holds. */
export function openPasteBox(text?: string): void {
  box.set({ open: true, text: text ?? box.get().text })
}

export function closePasteBox(): void {
  box.set({ ...box.get(), open: false })
}

export function setPastedText(text: string): void {
  box.set({ ...box.get(), text })
}
