/** How many uploads of this page are not done. Apart from their queue, whose code is heavy. */
import { Store, useStore } from '@/state/store'

const count = new Store(0)

/** Told by the queue. */
export const tellUnderWay = count.set

/** The stopped ones count, too. */
export const useUploadsUnderWay = (): number => useStore(count)
