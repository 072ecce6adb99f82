/** Two canvases over the visible part of the lanes: one for the lanes, one for the crosshair. */
import { onCanvas, type Sketch } from '@/charts/sketch'

/** Drawn beyond the visible part above and below, so that a scroll shows lanes at once. */
const OVERSCAN = 240

export class CanvasPair {
  /** Of the canvases in the stack of lanes, CSS pixels. */
  top = 0
  height = 0
  sketch: Sketch | null = null
  overContext: CanvasRenderingContext2D | null = null
  main: HTMLCanvasElement | null = null
  private over: HTMLCanvasElement | null = null

  attach(main: HTMLCanvasElement | null, over: HTMLCanvasElement | null): void {
    this.main = main
    this.over = over
    const context = main?.getContext('2d') ?? null
    this.sketch = context ? onCanvas(context) : null
    this.overContext = over?.getContext('2d') ?? null
    this.height = 0
  }

  /** Whether the canvases cover the view with some room left in the direction of a scroll. */
  covers(scrollTop: number, viewHeight: number): boolean {
    const least = this.top + (this.top > 0 ? 40 : 0)
    return scrollTop >= least && scrollTop + viewHeight <= this.top + this.height - 40
  }

  /** Size and move both canvases around the visible part of a stack of `total` height. */
  place(width: number, total: number, scrollTop: number, viewHeight: number): void {
    const { main, over } = this
    if (!main || !over) return
    const height = Math.min(viewHeight + 2 * OVERSCAN, Math.max(total, viewHeight))
    const most = Math.max(0, Math.max(total, viewHeight) - height)
    const top = Math.min(most, Math.max(0, Math.round(scrollTop - OVERSCAN)))
    const ratio = window.devicePixelRatio || 1
    for (const canvas of [main, over]) {
      if (this.height !== height || canvas.width !== Math.round(width * ratio)) {
        canvas.width = Math.round(width * ratio)
        canvas.height = Math.round(height * ratio)
        canvas.style.width = `${width}px`
        canvas.style.height = `${height}px`
      }
      canvas.style.transform = `translateY(${top}px)`
      canvas.getContext('2d')?.setTransform(ratio, 0, 0, ratio, 0, 0)
    }
    this.top = top
    this.height = height
  }

  /** Empty the canvas of the lanes and return it; null before it is attached. */
  cleared(width: number): Sketch | null {
    const context = this.main?.getContext('2d')
    context?.clearRect(0, 0, width, this.height)
    return context ? this.sketch : null
  }
}
