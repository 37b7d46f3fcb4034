/** Turns texts into vectors that lie close together where the texts mean the same. */
export type EmbeddingModel = {
  /** Says which model made a vector and how; vectors of two names are never compared. */
  name: string
  /** One vector of length 1 for each text, in their order. Throws a ModelError when there are none to be had. */
  embed(texts: string[], options: EmbedOptions): Promise<Float32Array[]>
}

export type EmbedOptions = {
  /** Some models want to be told which side of a search a text stands on. */
  as: 'question' | 'passage'
  signal: AbortSignal
}
