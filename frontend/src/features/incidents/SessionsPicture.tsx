/** The thumbnail of an incident: its active sessions by what they waited for, over time. */
import { max } from 'd3-array'
import type { IncidentRow } from '@/api/schema'
import { classColour } from '@/charts/classColour'
import { stackedTime } from '@/charts/stackedTime'
import { formatMeasured } from '@/format'
import { Sparkline } from '@/ui/display/Bar'

const WIDTH = 120
const HEIGHT = 36

export function SessionsPicture({ row }: { readonly row: IncidentRow }) {
  const { spark, spark_classes: classes } = row
  if (!spark) return null
  if (!classes?.length) {
    return <Sparkline values={spark} height={HEIGHT} label={describe(spark, [])} />
  }
  const times = spark.map((_, at) => at)
  const stacked = classes.map(({ id, values }) => ({ id, values: values.map((v) => v ?? 0) }))
  const { layers } = stackedTime(times, stacked, [0, times.length], WIDTH, HEIGHT)
  const titles = classes.map(({ title }) => title)
  return (
    <svg className="spark" width={WIDTH} height={HEIGHT} role="img">
      <title>{describe(spark, titles)}</title>
      {layers.map((layer) => (
        <path key={layer.id} d={layer.path} fill={classColour(layer.id)} />
      ))}
      <line className="spark-base" x2={WIDTH} y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} />
    </svg>
  )
}

/** The words for the picture: the highest value that it draws, and the classes from the top. */
function describe(values: readonly (number | null)[], titles: readonly string[]): string {
  const known = values.filter((value) => value !== null)
  const most = `Active sessions over time, at most ${formatMeasured(max(known))}`
  return titles.length > 0 ? `${most}: ${[...titles].reverse().join(', ')}` : most
}
