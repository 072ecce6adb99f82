/** The cards of a small wait graph: which lines a node has, and how large its card is. Pure. */
import { sum } from 'd3-array'
import { wordsOf } from '@/format'
import { factsOf, type QueuePlace, roleOf } from '../nodeText'
import type { WaitNode } from '../waitGraph'

/** More nodes than these are rows. */
export const CARDS_AT_MOST = 60
/** Up to these there is room for a statement of several lines. */
const ROOMY = 16
const MOST_LINES = 4
/** Up to these the canvas would be empty below the cards: they show all of their texts. */
const FEW = 8
const MOST_LINES_OF_FEW = 8
const MOST_FACT_LINES = 3
const HEAD = 20
const SHAPE_LINE = 15
const FOOT = 16
const FACT_LETTER = 5.9
/** Letters of how often a node was seen: " · 24/24". */
const SEEN_LETTERS = 8
const PADDING = 17
/** What a card grows by, from one that blocks nobody to the one that blocks most. */
const GROWTH = 60
const LEAST = 48
/** Widths of letters of the monospaced font at 12 and at 11 px. */
const LETTER = 7.25
const SHAPE_LETTER = 6.65
const SIDES = 16
const VERB = 44
const MOST_LABEL_LINES = 4
const STATEMENT_WIDTH = 230
/** By the lines of the labels. */
const NARROWEST = { 1: 168, 2: 168, 3: 120 } as const
/** Where a label takes three lines, a word of more letters than an address or an id may be broken. */
const LEAST_LETTERS = 15
/** Width of the glyph before a label. */
const GLYPH = 18
/** The share of a label's length that its longest line has; words are not broken evenly. */
const LONGEST_LINE = { 2: 0.6, 3: 0.45 } as const

export type LabelLines = 1 | 2 | 3

export type Card = {
  readonly labelLines: number
  /** Whether the number of sessions has a word before it. */
  readonly verb: boolean
  /** Lines that its statement takes. */
  readonly lines: number
  /** Lines that its role and facts take. */
  readonly facts: number
}

/**
 * What a card of this width shows; weight: 0..1, in a graph of so many nodes. queue: its place in
 * the queue of a metadata lock.
 */
export function cardOf(
  node: WaitNode,
  width: number,
  weight: number,
  nodes: number,
  queue?: QueuePlace,
): Card {
  const letters = Math.max(1, Math.floor((width - SIDES) / SHAPE_LETTER))
  // Lines break between words: each but the last one loses half of a word.
  const needed = Math.ceil((cardText(node).length * (nodes <= FEW ? 1.2 : 1)) / letters)
  const inside = leastHeight(weight) - PADDING - HEAD - FOOT
  const least = nodes <= FEW ? MOST_LINES_OF_FEW : nodes <= ROOMY ? MOST_LINES : 1
  const most = Math.max(least, Math.floor(inside / SHAPE_LINE))
  const facts = [roleOf(node, queue), ...factsOf(node)].join(' · ').length + SEEN_LETTERS
  const factLines = Math.ceil((facts * FACT_LETTER) / Math.max(1, width - SIDES))
  const label = 24 + node.label.length * LETTER + pillOf(node)
  return {
    lines: Math.min(most, needed),
    facts: nodes <= FEW ? Math.min(MOST_FACT_LINES, factLines) : 1,
    labelLines: label <= width - SIDES ? 1 : Math.min(MOST_LABEL_LINES, linesOfLabel(node, width)),
    verb: label + VERB <= width - SIDES,
  }
}

/** Its words fill lines of the whole width; the first one has the glyph and the number of sessions as well. */
function linesOfLabel(node: WaitNode, width: number): number {
  const room = Math.max(LETTER, width - SIDES)
  let lines = 1
  let left = room - GLYPH - pillOf(node)
  for (const word of wordsOf(node.label)) {
    const need = word.trimEnd().length * LETTER
    if (need > left) {
      const broken = Math.ceil(need / room) - 1
      lines += 1 + broken
      left = room - need + broken * room
    } else left -= need
    left -= (word.length - word.trimEnd().length) * LETTER
  }
  return Math.max(2, lines)
}

/** Width of the number of blocked sessions. */
const pillOf = ({ blocks_total: blocked }: WaitNode) =>
  blocked > 0 ? 26 + 7 * String(blocked).length : 0

/** The second part of a card: the statement without literals, else what is known of the node. */
export function cardText(node: WaitNode): string {
  return node.shape || node.detail
}

/** As the area of a circle: four times the sessions, twice the growth. */
const leastHeight = (weight: number) => LEAST + Math.round(GROWTH * Math.sqrt(weight))

/** At least what its sessions ask for, and what its text needs. */
export function cardHeight({ lines, labelLines, facts }: Card, weight: number): number {
  const text = PADDING + HEAD + (labelLines - 1 + lines) * SHAPE_LINE + facts * FOOT
  return Math.max(leastHeight(weight), text)
}

/** A card in a place of this height: its facts and its statement lose lines before its label does. */
export function cardIn<T extends { readonly card: Card | null; readonly height: number }>(
  { card, height }: T,
  most: number,
): { card: Card | null; height: number } {
  if (!card || height <= most) return { card, height: Math.min(height, most) }
  const lines = Math.floor((most - PADDING - HEAD - FOOT) / SHAPE_LINE)
  const labelLines = Math.max(1, Math.min(card.labelLines, lines + 1))
  const rest = Math.max(0, lines + 1 - labelLines)
  return {
    card: { ...card, labelLines, facts: 1, lines: Math.min(card.lines, rest) },
    height: most,
  }
}

/**
 * Lower heights of the cards of a column, so that they fit into a room: the highest lose lines first.
 * None gets lower than its label, a line of its statement and its role; without room for those, the
 * statement goes as well.
 */
export function heightsIn(
  cards: readonly { readonly card: Card; readonly height: number }[],
  room: number,
): number[] {
  const heights = (most: number, statement: 0 | 1) =>
    cards.map(({ card, height }) => {
      const lines = card.labelLines - 1 + Math.min(statement, card.lines)
      return Math.min(height, Math.max(most, PADDING + HEAD + FOOT + lines * SHAPE_LINE))
    })
  const statement = sum(heights(0, 1)) <= room ? 1 : 0
  let most = Math.max(...cards.map(({ height }) => height))
  while (most > LEAST && sum(heights(most, statement)) > room) most -= 1
  return heights(most, statement)
}

/** Width that the card's first line needs, and a readable part of its statement. */
export function cardNeed(node: WaitNode, labelLines: LabelLines): number {
  const label = 24 + node.label.length * LETTER + pillOf(node)
  const statement = cardText(node) ? STATEMENT_WIDTH : 0
  const narrowest = NARROWEST[labelLines]
  if (labelLines === 1) return Math.max(label, statement, narrowest)
  const words = wordsOf(node.label).map((word) => word.trimEnd().length)
  const longest = Math.max(...words)
  const letters = labelLines === 2 ? longest : Math.min(longest, LEAST_LETTERS)
  const first = GLYPH + Math.min(words[0] ?? 0, letters) * LETTER + pillOf(node)
  const word = SIDES + Math.max(first, letters * LETTER)
  return Math.max(narrowest, Math.ceil(label * LONGEST_LINE[labelLines]), Math.ceil(word))
}
