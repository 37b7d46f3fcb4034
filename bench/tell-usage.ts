/** Loaded into a measured process: answers its parent with the memory it holds after a collection, and its processor time. */
process.on('message', (message) => {
  if (message !== 'usage') return
  global.gc?.()
  const { rss, heapUsed, external } = process.memoryUsage()
  process.send?.({ rss, held: heapUsed + external, cpuMs: cpuMs() })
})
process.channel?.unref()

function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
