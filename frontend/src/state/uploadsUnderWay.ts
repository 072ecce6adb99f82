/** Number of unfinished uploads of this page; separate from the upload queue, whose code is large. */
import { Store, useStore } from '@/state/store'

const count = new Store(0)

/** Set the number; called by the upload queue. */
export const setUploadsUnderWay = count.set

/** Return the number of unfinished uploads, stopped ones included. */
export const useUploadsUnderWay = (): number => useStore(count)
